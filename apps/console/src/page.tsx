import type { Observation } from '@drover/observation/api';
import { useEffect, useState } from 'preact/hooks';
import { CapacityChart } from './chart/capacity-chart.tsx';
import { ClockBar } from './clock-bar.tsx';
import { Changeable, type Message, ReadOnly, ShowMessage } from './controls.ts';
import { Help } from './help.tsx';
import { useLiveState } from './live.ts';
import { Palette } from './palette.tsx';
import { addressOf, type PageName, pages, type Route, useRoute } from './route.ts';
import { useSameParts } from './same-parts.ts';
import { Scene } from './scene/scene.tsx';
import { Scoreboard } from './scoreboard.tsx';
import { Side } from './side.tsx';
import { CanBranch, useStartOver } from './time/branch.ts';
import { CoursePill, Courses } from './time/courses.tsx';
import { frameBefore, type Past, usePast } from './time/past.ts';
import { TimeBar } from './time/time-bar.tsx';
import { Toast } from './toast.tsx';
import { Tools } from './tools/tools.tsx';
import { isRead } from './views/age.tsx';
import { Alarms } from './views/alarms.tsx';
import { Events } from './views/events.tsx';
import { Functions } from './views/functions.tsx';
import { Jobs } from './views/jobs.tsx';
import { Missing } from './views/missing.tsx';
import { ShardGrid } from './views/shard-grid.tsx';
import { SnapshotCalendar } from './views/snapshots.tsx';
import { WhatIfView } from './what-if/what-if-view.tsx';
import { clockTime } from './words.ts';

export function Page() {
  const { state, connected } = useLiveState();
  if (state === undefined) return <main class="loading">{connected ? 'Loading' : 'Connecting'}…</main>;
  return <Loaded newest={state} connected={connected} />;
}

function Loaded({ newest, connected }: { readonly newest: Observation; readonly connected: boolean }) {
  const past = usePast(newest);
  const state = useSameParts(past.frame ?? newest);
  const route = useRoute();
  const [message, setMessage] = useState<Message | undefined>();
  useEffect(() => {
    if (performance.getEntriesByName('update-begin').length === 0) return;
    performance.measure('update', 'update-begin');
    performance.clearMarks('update-begin');
  });
  const readOnly = past.frame !== undefined || newest.travel?.purpose === 'resume';
  const canBranch = newest.unknown.tools === undefined && newest.travel === undefined;
  return (
    <ShowMessage.Provider value={setMessage}>
      <header>
        <div class="bar">
          <h1>Drover</h1>
          <CoursePill courses={newest.courses} />
          <Scoreboard promises={state.promises} unknown={state.unknown.promises} />
          <Palette state={state} acts={newest.unknown.tools === undefined && !readOnly} />
          <Help />
          <ClockBar clock={newest.clock} connected={connected} fixed={newest.unknown.tools !== undefined} />
        </div>
        <Banner newest={newest} past={past} connected={connected} />
      </header>
      <div class={`layout${connected && !newest.clock.paused && !readOnly ? '' : ' still'}`}>
        <nav aria-label="Views">
          {(Object.keys(pages) as PageName[]).map((page) => (
            <a href={addressOf(page)} aria-current={route.page === page ? 'page' : undefined} key={page}>
              {pages[page]}
              <Count page={page} state={state} />
            </a>
          ))}
        </nav>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <main tabIndex={0}>
          <ReadOnly.Provider value={readOnly}>
            <Changeable.Provider value={state.fleet.inputs}>
              <Shown route={route} state={state} />
            </Changeable.Provider>
          </ReadOnly.Provider>
        </main>
        {newest.unknown.tools === undefined && (
          <ReadOnly.Provider value={readOnly}>
            <Tools state={state} />
          </ReadOnly.Provider>
        )}
        <div class="timeline">
          <CanBranch.Provider value={canBranch}>
            <TimeBar {...past} now={newest.clock.now} incidents={newest.incidents} />
            <Courses courses={newest.courses} travel={newest.travel} incidents={newest.incidents} />
          </CanBranch.Provider>
          <CapacityChart
            history={state.fleet.history}
            incidents={state.incidents}
            target={state.fleet.idleTarget}
            choose={past.moments.length === 0 ? undefined : (at) => past.choose(frameBefore(past.moments, at))}
          />
        </div>
        <ReadOnly.Provider value={readOnly}>
          <CanBranch.Provider value={canBranch}>
            <Side route={route} state={state} />
          </CanBranch.Provider>
        </ReadOnly.Provider>
      </div>
      <Toast message={message} dismiss={() => setMessage(undefined)} />
    </ShowMessage.Provider>
  );
}

/** How many alarms are on, jobs wait or shards are unassigned: a number beside the view that shows them. */
function Count({ page, state }: { readonly page: PageName; readonly state: Observation }) {
  const counts: Partial<Record<PageName, number>> = {
    alarms: state.alarms.filter(({ state: is, scaling }) => is === 'ALARM' && !scaling).length,
    jobs: state.fleet.queuedJobs ?? 0,
    shards: state.cluster.unassignedShards,
  };
  const count = counts[page] ?? 0;
  return count === 0 ? null : <span class="count">{count}</span>;
}

interface BannerProps {
  readonly newest: Observation;
  readonly past: Past;
  readonly connected: boolean;
}

function Banner({ newest: { clock, travel }, past: { frame }, connected }: BannerProps) {
  if (!connected) return <p class="banner bad">Not connected: what you see is the last state that arrived.</p>;
  if (frame !== undefined)
    return <p class="banner">You see {clockTime(frame.clock.now)}. Nothing can be done to the past but a branch.</p>;
  if (travel?.purpose === 'resume')
    return (
      <p class="banner" role="status">
        Resuming: {travel.percent} % replayed. What you see is the last moment of the session. <StartOver />
      </p>
    );
  if (travel !== undefined)
    return (
      <p class="banner" role="status">
        {travel.purpose === 'branch'
          ? `Branching from ${clockTime(travel.to)}`
          : `Returning to ${clockTime(travel.to)} of another timeline`}
        : {travel.percent} % replayed. This timeline goes on until then. <StartOver />
      </p>
    );
  return clock.paused ? <p class="banner">Paused: nothing happens until you resume.</p> : null;
}

/** The way out of a long replay. */
function StartOver() {
  const begin = useStartOver();
  return (
    <button type="button" title="a new session with the same settings; this one is kept as a timeline" onClick={begin}>
      Start over
    </button>
  );
}

/** The views of a cluster say why there is none. */
const ofCluster: readonly PageName[] = ['shards', 'snapshots'];

function Shown({ route, state }: { readonly route: Route; readonly state: Observation }) {
  const missing = ofCluster.includes(route.page) ? state.unknown.cluster : undefined;
  if (missing !== undefined) return <Missing title={pages[route.page]} because={missing} />;
  switch (route.page) {
    case 'scene':
      return <Scene state={state} />;
    case 'jobs':
      return (
        <Jobs
          fleet={state.fleet}
          now={state.clock.now}
          unknown={state.unknown.queue}
          read={isRead(state, 'job events')}
        />
      );
    case 'shards':
      return <ShardGrid cluster={state.cluster} />;
    case 'alarms':
      return <Alarms state={state} />;
    case 'functions':
      return <Functions state={state} />;
    case 'snapshots':
      return <SnapshotCalendar policies={state.cluster.snapshots} now={state.clock.now} />;
    case 'events':
      return <Events events={state.events} incidents={state.incidents} />;
    case 'what-if':
      return <WhatIfView id={route.subject === undefined ? route.id : ''} />;
  }
}
