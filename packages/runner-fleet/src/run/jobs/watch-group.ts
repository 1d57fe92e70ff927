import { awaitsRerun, noteInterruptions } from '../../decide/jobs/decide-rerun.ts';
import { beyondDesired, decideRound, mayHaveNone } from '../../decide/jobs/decide-round.ts';
import { decideSizes, sizesOf, withTaken } from '../../decide/jobs/decide-sizes.ts';
import { noteReclaims, spotClosedBecause } from '../../decide/jobs/decide-spot.ts';
import { decideCeiling, decideWant, isShort, type Want, wantWithoutNews } from '../../decide/jobs/decide-want.ts';
import { decideWindow, isQuiet } from '../../decide/jobs/decide-window.ts';
import { noteEvents } from '../../decide/jobs/note-events.ts';
import { type HostNotes, isOfIdleMode, noteHosts } from '../../decide/jobs/note-hosts.ts';
import type { DemandPorts, DemandService, HeldSession } from '../../jobs-ports.ts';
import type { GroupFacts, HostReport } from '../../model/fleet.ts';
import type { DemandMessage, JobsMemory } from '../../model/jobs.ts';
import { failureFields } from '../failure-fields.ts';
import { applyRound } from './apply-round.ts';
import { closeScaleSet } from './close-scale-set.ts';
import { holdSession, withToken } from './hold-session.ts';
import { rerunInterrupted } from './rerun-interrupted.ts';
import type { Window } from './take-lease.ts';

/** How often hosts are polled; also the longest poll. */
const lookEveryMs = 25_000;
const groupIsFreshMs = 5_000;
export const leastPollMs = 1_000;
/** A host says that it has finished so soon after its job. */
const lookAfterJobMs = 8_000;
/** Hosts are checked every minute. After a longer gap an instance may have appeared and gone unseen. */
const overlookedAfterMs = 100_000;
const marginMs = 60_000;
const dayMs = 24 * 3_600_000;

/** The part of a window that is about one group and its scale set: attaches to the session, then listens and acts until its time is over. Any step may be its last. */
export async function watchGroup(
  ports: DemandPorts,
  window: Window,
  { seen, endAt }: Pick<Begun, 'seen' | 'endAt'>,
): Promise<void> {
  try {
    if (mayHaveNone(seen.group) && isEmpty(seen.group)) return await closeScaleSet(ports, window);
    const held = await holdSession(ports, window);
    if (held === undefined) await round(ports, window, { only: 'finished' });
    else await listen(ports, window, { held, seen, endAt });
  } catch (error) {
    // Without the service nothing is launched, but hosts that have finished go.
    await round(ports, window, { only: 'finished' }).catch((other: unknown) =>
      ports.log.warn('the hosts could not be looked at', failureFields(other)),
    );
    throw error;
  }
}

/** A fallback may still want what it could not launch: it gives that up first. */
const isEmpty = ({ instances, fallback }: GroupFacts) =>
  instances.length === 0 && (fallback?.desiredCapacity ?? 0) === 0;

interface Begun {
  readonly held: HeldSession;
  readonly seen: SeenGroup;
  readonly endAt: number;
}

/** Level by level: what the session says, then what each message says; silence changes nothing. */
async function listen(ports: DemandPorts, window: Window, begun: Begun): Promise<void> {
  const { clock, service } = ports;
  const { endAt } = begun;
  let { held } = begun;
  let lookAt = clock.now() + lookEveryMs;
  /**
   * Of this window. A message that was not acknowledged in an earlier one comes again, and a new scale set starts its
   * numbers over.
   */
  let lastMessageId: number | undefined;
  const { statistics } = held.session;
  const news = statistics === undefined ? undefined : { statistics };
  let seen = await round(ports, window, { news, seen: begun.seen });
  await rerunInterrupted(ports, window);
  const shortEndAt = Math.min(endAt, clock.now() + leastPollMs);
  const ends = () => (isShortWindow(ports, window, seen.group) ? shortEndAt : endAt);
  while (clock.now() < ends()) {
    lookAt = Math.min(lookAt, ends());
    const failedAt = isShort(seen.group) ? await lastResortFailedAt(ports, seen.group) : undefined;
    // Whether spot has what it was just asked for shows within seconds.
    if (seen.grew && seen.group.fallback !== undefined) lookAt = Math.min(lookAt, clock.now() + lookAfterJobMs);
    const options = {
      lastMessageId,
      ceiling: decideCeiling(seen.group, failedAt, clock.now()),
      withinMs: Math.max(leastPollMs, lookAt - clock.now()),
    };
    const askedAt = clock.now();
    const polled = await withToken(service, held, (now) => service.poll(now, options));
    held = polled.held;
    const message = polled.result === 'nothing' ? undefined : polled.result;
    // A service in trouble says at once that there is nothing.
    if (message === undefined && clock.now() - askedAt < leastPollMs) await clock.sleep(leastPollMs);
    if (message !== undefined) {
      await window.wake();
      held = await acquire(service, held, message);
    }
    const looks = clock.now() >= lookAt;
    if (looks || message !== undefined)
      seen = await round(ports, window, { news: message, ...(looks ? {} : { only: 'growth', seen }) });
    if (looks) lookAt = clock.now() + lookEveryMs;
    if (message?.events.some(({ kind }) => kind === 'completed'))
      lookAt = Math.min(lookAt, clock.now() + lookAfterJobMs);
    lastMessageId = message?.id ?? lastMessageId;
    if (message !== undefined)
      held = (await withToken(service, held, (now) => service.acknowledge(now, message.id))).held;
  }
  const surplus = seen.group.desiredCapacity - seen.want.keep + beyondDesired(seen.group);
  const surplusWindows = surplus > 0 ? (window.jobs.surplusWindows ?? 0) + 1 : 0;
  if (surplusWindows !== (window.jobs.surplusWindows ?? 0)) await window.write((jobs) => ({ ...jobs, surplusWindows }));
  window.quiet = isQuiet(quietFacts(ports, window, seen.group));
  if (ports.adaptiveWindows) await noteQuiet(ports, window);
}

const quietFacts = ({ clock, idleTarget }: DemandPorts, { jobs }: Window, group: GroupFacts) => ({
  group,
  jobs,
  idleTarget: idleTarget(clock.now()),
});

/** Where a short look found no session it is a window that opens another, and is as short. */
const isShortWindow = (ports: DemandPorts, window: Window, group: GroupFacts): boolean =>
  ports.adaptiveWindows && decideWindow(quietFacts(ports, window, group), ports.clock.now()) === 'short';

async function noteQuiet({ clock }: DemandPorts, window: Window): Promise<void> {
  const { quiet } = window;
  if (quiet === (window.jobs.quietSince !== undefined)) return;
  const now = clock.now();
  await window.write(({ quietSince: _, ...jobs }) => (quiet ? { ...jobs, quietSince: now } : jobs));
}

/** If the service assigns no jobs by itself, it offers them. */
async function acquire(service: DemandService, held: HeldSession, message: DemandMessage): Promise<HeldSession> {
  const ids = message.events.flatMap(({ kind, requestId }) =>
    kind === 'available' && requestId > 0 ? [requestId] : [],
  );
  return ids.length === 0 ? held : (await withToken(service, held, (now) => service.acquire(now, ids))).held;
}

interface RoundOptions {
  /** The service's latest message. */
  readonly news?: Partial<DemandMessage> | undefined;
  /** `growth`: what jobs wait for, without a look at the hosts. `finished`: only hosts that have finished go. @default everything */
  readonly only?: 'growth' | 'finished';
  /** A round just before: a burst comes in many messages, and the group is not read for each of them. */
  readonly seen?: SeenGroup;
}

interface SeenGroup {
  readonly group: GroupFacts;
  readonly at: number;
}

interface Seen extends SeenGroup {
  readonly want: Want;
  readonly grew: boolean;
}

/** When a launch failed for which nothing else stands in. */
const lastResortFailedAt = ({ history }: DemandPorts, { fallback }: GroupFacts) =>
  fallback === undefined || fallback.maxSize === 0 ? history.launchFailedAt() : history.fallbackFailedAt();

/** Reads the group, acts, and remembers: in this order, so that a message is acknowledged only after all of it. */
async function round(ports: DemandPorts, window: Window, { news, only, seen }: RoundOptions): Promise<Seen> {
  const recent = seen !== undefined && ports.clock.now() - seen.at < groupIsFreshMs ? seen : undefined;
  const found = recent?.group ?? (await ports.group.read());
  const now = ports.clock.now();
  const { jobs: before } = window;
  const statistics = news?.statistics ?? before.statistics;
  const statisticsAt = news?.statistics === undefined ? (before.statisticsAt ?? 0) : now;
  const jobs = news?.events === undefined ? before.jobs : noteEvents(before.jobs, news.events, now);
  const ids = found.instances.filter(({ inWarmPool }) => !inWarmPool).map(({ id }) => id);
  // Their last reports say whether they had a notice and a job, also if no window came through meanwhile.
  const { hosts: known = {} } = ports.runs === undefined ? {} : before;
  const lost = Object.keys(known).filter((id) => known[id]!.is !== 'gone' && !ids.includes(id));
  const reports = only === 'growth' ? new Map<string, HostReport>() : await ports.reports.read([...ids, ...lost]);
  const group = withTaken(found, reports);
  const noted =
    only === 'growth'
      ? (before.hosts ?? {})
      : noteHosts(await knownHosts(ports, before, group, now), group, reports, now);
  const asIs = { launch: group.desiredCapacity, keep: group.desiredCapacity, notTaken: 0 };
  const idleTarget = ports.idleTarget(now);
  const ofIdleMode = group.instances.filter(
    ({ lifecycleState, id }) => lifecycleState === 'InService' && isOfIdleMode(reports.get(id)),
  ).length;
  const want =
    only === 'finished'
      ? wantWithoutNews(group, idleTarget, before.notTaken)
      : statistics === undefined
        ? asIs
        : decideWant({ group, statistics, statisticsAt, jobs, hosts: noted, idleTarget, ofIdleMode }, now);
  const { registrationFails, braked } = window;
  const { surplusWindows = 0 } = before;
  const hasFallback = group.fallback !== undefined;
  const reclaims = hasFallback ? noteReclaims(before.reclaims, reports, now) : undefined;
  const launchFailedAt = hasFallback && only !== 'finished' ? await ports.history.launchFailedAt() : undefined;
  // Without the input those of before are forgotten.
  const interrupted =
    ports.runs === undefined ? before.interrupted && {} : noteInterruptions(before.interrupted, reports, jobs, now);
  const seenOfSpot = { launchFailedAt, reclaims, rerunWaits: awaitsRerun(interrupted, now) };
  const spotIsClosed = spotClosedBecause(group, seenOfSpot, now) !== undefined;
  const planned =
    only === 'growth'
      ? decideSizes(sizesOf(group), { maxSize: group.maxSize, wanted: want.launch, spotIsClosed })
      : decideRound(
          { group, reports, hosts: noted, want, surplusWindows, registrationFails, braked, spotIsClosed },
          now,
        );
  const actions =
    only === 'finished'
      ? planned.filter((action) => action.kind === 'terminate' && action.because === 'finished')
      : planned;
  const hosts = await applyRound(ports, actions, noted, {
    scaleSetId: window.jobs.scaleSet?.id ?? 0,
    hasFallback,
    reports,
  });
  await window.remember({
    hosts,
    ...(reclaims === undefined ? {} : { reclaims }),
    ...(interrupted === undefined ? {} : { interrupted }),
    notTaken: want.notTaken,
    ...(jobs === undefined ? {} : { jobs }),
    ...(news?.statistics === undefined ? {} : { statistics: news.statistics, statisticsAt }),
  });
  if (only !== 'growth') window.looked(now);
  const grew = actions.some(({ kind }) => kind === 'set-desired');
  return {
    group: actions.length === 0 ? group : withTaken(await ports.group.read(), reports),
    want,
    at: recent?.at ?? now,
    grew,
  };
}

/**
 * The hosts of the notes. If the memory was lost, or no window came through for a while, the group's history shows
 * whose runners may be left at the service.
 */
async function knownHosts(
  { history }: DemandPorts,
  { hosts, lookedAt = 0 }: JobsMemory,
  group: GroupFacts,
  now: number,
): Promise<HostNotes> {
  if (hosts !== undefined && now - lookedAt < overlookedAfterMs) return hosts;
  const past = await history.instances(hosts === undefined ? now - dayMs : Math.max(lookedAt - marginMs, now - dayMs));
  // One that is parked has no runner yet, and may get one at any moment.
  const present = new Set(group.instances.map(({ id }) => id));
  const gone = past.filter((id) => !present.has(id));
  return { ...Object.fromEntries(gone.map((id) => [id, { is: 'gone', since: now }])), ...hosts };
}
