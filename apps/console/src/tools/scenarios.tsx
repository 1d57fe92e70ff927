import type { Observation } from '@drover/observation/api';
import { useState } from 'preact/hooks';
import { type Act, useControl } from '../controls.ts';

interface Step {
  readonly label: string;
  readonly act: (state: Observation) => Act;
  readonly watch: string;
}

interface Scenario {
  readonly title: string;
  readonly steps: readonly Step[];
}

const zone = (state: Observation, index: number) => state.zones[index]?.name ?? '';

/** Courses of events to play, and what to look at. */
export const scenarios: readonly Scenario[] = [
  {
    title: 'Your first zone loss',
    steps: [
      {
        label: 'Queue jobs',
        act: () => ['queue-jobs', { count: 6, minutes: 15 }],
        watch: 'Jobs leave the queue for idle runners; the fleet grows by new ones, which boot (blue).',
      },
      {
        label: 'Lose the first zone',
        act: (state) => ['lose-zone', { zone: zone(state, 0), lost: true }],
        watch:
          'Its runners and nodes are gone at once. Jobs that ran there are lost with the hardware, and the incident names them. The cluster turns yellow, never red, and new instances start in the other zones.',
      },
      {
        label: 'Bring the zone back',
        act: (state) => ['lose-zone', { zone: zone(state, 0), lost: false }],
        watch:
          'New runners use the zone again. The elected master launches one more master there, then one of the zone with two goes, within half an hour. Data nodes stay where they are.',
      },
    ],
  },
  {
    title: 'Deploy during an outage',
    steps: [
      {
        label: 'Take GitHub down',
        act: () => ['platform-down', { on: true }],
        watch:
          "The functions fail and say why. No host is terminated for it. GitHub's own runner ends a job that it cannot renew, minutes into an outage: a short one costs nothing.",
      },
      {
        label: 'Refresh the fleet',
        act: (state) => ['start-refresh', { group: state.fleet.groupName }],
        watch: 'New instances wait for a registration token that GitHub cannot give. No busy instance is terminated.',
      },
      {
        label: 'Bring GitHub back',
        act: () => ['platform-down', { on: false }],
        watch: 'Waiting instances register within minutes, and the refresh goes on.',
      },
    ],
  },
  {
    title: 'The majority of masters is gone',
    steps: [
      {
        label: 'Lose the first zone',
        act: (state) => ['lose-zone', { zone: zone(state, 0), lost: true }],
        watch: 'One of three voting masters is gone; another one is elected if it led.',
      },
      {
        label: 'Lose the second zone',
        act: (state) => ['lose-zone', { zone: zone(state, 1), lost: true }],
        watch:
          'If this comes before a new master has joined, two of three voting masters are gone for good: no master can be elected. The incident says so, and what is left to do: restore from a snapshot.',
      },
      {
        label: 'Bring the first zone back',
        act: (state) => ['lose-zone', { zone: zone(state, 0), lost: false }],
        watch: 'New machines start, but they cannot vote for the lost ones.',
      },
      {
        label: 'Bring the second zone back',
        act: (state) => ['lose-zone', { zone: zone(state, 1), lost: false }],
        watch: 'See whether the cluster could save itself.',
      },
    ],
  },
];

/** A scenario played step by step. */
export function Scenarios({ state }: { readonly state: Observation }) {
  const send = useControl();
  const [playing, setPlaying] = useState<{ scenario: Scenario; done: number } | undefined>();
  if (playing === undefined)
    return (
      <>
        <h3>Guided scenarios</h3>
        <p class="acts">
          {scenarios.map((scenario) => (
            <button type="button" onClick={() => setPlaying({ scenario, done: 0 })} key={scenario.title}>
              {scenario.title}
            </button>
          ))}
        </p>
      </>
    );
  const { scenario, done } = playing;
  const next = scenario.steps[done];
  return (
    <>
      <h3>{scenario.title}</h3>
      <ol class="guide">
        {scenario.steps.slice(0, done).map(({ label, watch }) => (
          <li key={label}>
            <strong>{label}.</strong> {watch}
          </li>
        ))}
      </ol>
      <p class="acts">
        {next !== undefined && (
          <button
            type="button"
            onClick={() =>
              send(next.act(state), `${next.label}: done.`).then(() => setPlaying({ scenario, done: done + 1 }))
            }
          >
            {next.label}
          </button>
        )}
        <button type="button" onClick={() => setPlaying(undefined)}>
          End the scenario
        </button>
      </p>
    </>
  );
}
