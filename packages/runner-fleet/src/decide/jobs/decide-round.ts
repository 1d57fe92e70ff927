import type { GroupFacts, HostReport } from '../../model/fleet.ts';
import type { HostNote } from '../../model/jobs.ts';
import { decideSizes, isPresent, leaves, type SizeAction, sizesOf } from './decide-sizes.ts';
import type { Want } from './decide-want.ts';
import type { HostNotes } from './note-hosts.ts';

/** The facts of one round of a window. */
export interface RoundFacts {
  readonly group: GroupFacts;
  readonly reports: ReadonlyMap<string, HostReport>;
  readonly hosts: HostNotes;
  readonly want: Want;
  /** In how many windows in a row the group was larger than wanted. */
  readonly surplusWindows: number;
  /** Instances cannot be registered at the moment: their boots take as long as that lasts. */
  readonly registrationFails: boolean;
  /** Boots fail: one that has failed stays for longer, so that fewer are launched. */
  readonly braked: boolean;
  /** Spot has no capacity for us, or takes back what it gave. @default false */
  readonly spotIsClosed?: boolean;
}

export type RoundAction =
  | SizeAction
  | (OneHost & { readonly kind: 'terminate'; readonly because: 'finished' | 'not-needed' })
  /** The runner is removed at the service first; with a job it stays, and so does its host. */
  | (OneHost & {
      readonly kind: 'remove-and-terminate';
      readonly because:
        | 'idle-surplus'
        | 'host-silent'
        | 'host-stopped'
        | 'runner-unknown'
        | 'taken-back'
        | typeof neverListened;
    })
  /** The instance is gone, and nothing else removes its runner. */
  | { readonly kind: 'remove-runner'; readonly instanceId: string }
  | { readonly kind: 'ask-for-runner'; readonly instanceId: string };

interface OneHost {
  readonly instanceId: string;
  readonly decrement: boolean;
}

const minuteMs = 60_000;
/** No job waits for a boot of this age while instances cannot be registered. */
const oldBootMs = 15 * minuteMs;
/** A host in service starts its listener within a minute. */
export const startDeadlineMs = 15 * minuteMs;
/** With it a place costs two launches an hour at most, as after a boot that failed. */
const startDeadlineBrakedMs = 30 * minuteMs;
/** Reason of a termination that counts as a failed boot. */
export const neverListened = 'never-listened';
/** A runner that came online may be about to get a job. */
export const leastIdleMs = 5 * minuteMs;
export const surplusAfterWindows = 3;
/** After this time in an idle or silent state we ask whether the service still knows the host's runner. */
const askAfterMs = 10 * minuteMs;
const askAgainMs = 30 * minuteMs;
/** The job of a runner that was lost ends with its lease, after ten minutes: until then each removal is refused. */
const removeAgainMs = 3 * minuteMs;
/** Nothing goes on one reading. */
const secondReadingMs = minuteMs;
/** Bounded work in a round; the rest is due again in the next one. */
const mostOfEach = 10;

/** One round: hosts that go, runners that are left over, and how many instances there should be. Pure. */
export function decideRound(facts: RoundFacts, now: number): readonly RoundAction[] {
  const { want } = facts;
  const sizes = sizesOf(facts.group);
  /**
   * Each host that goes makes the group smaller as long as it is larger than wanted. Beside a fallback each one does: another decision says
   * which of the two groups launches the next one.
   */
  const going = (instanceId: string, wanted: number): OneHost => {
    const mayShrink = sizes.fallback !== undefined || sizes.main.desired > wanted;
    return { instanceId, decrement: mayShrink && leaves(sizes, facts.group, instanceId) };
  };
  const desired = () => sizes.main.desired + (sizes.fallback?.desired ?? 0);
  const leave: RoundAction[] = [];
  const keepMs = facts.braked ? startDeadlineBrakedMs : 0;
  for (const [id, { since }] of inState(facts.hosts, 'finished'))
    if (facts.reports.get(id)?.unfit !== 'broken' || now - since >= keepMs)
      leave.push({ kind: 'terminate', because: 'finished', ...going(id, want.launch) });
  for (const [id, because] of unneededBoots(facts, desired() - want.keep, now))
    leave.push({ kind: 'terminate', because, ...going(id, want.launch) });
  const taken = takenWithoutJob(facts);
  for (const id of taken)
    leave.push({ kind: 'remove-and-terminate', because: 'taken-back', ...going(id, want.launch) });
  // The service may know it by its name, as a runner of another scale set or of none: with a job it stays.
  for (const [id, because] of unknownRunners(facts))
    leave.push({ kind: 'remove-and-terminate', because, ...going(id, want.launch) });
  const startMs = facts.braked ? startDeadlineBrakedMs : startDeadlineMs;
  for (const [id] of removable(facts.hosts, 'starting', startMs, now).slice(0, mostOfEach))
    leave.push({ kind: 'remove-and-terminate', because: neverListened, ...going(id, want.launch) });
  for (const is of ['silent', 'stopped'] as const)
    for (const [id] of removable(facts.hosts, is, askAfterMs, now).slice(0, mostOfEach))
      leave.push({ kind: 'remove-and-terminate', because: `host-${is}`, ...going(id, want.launch) });
  for (const id of idleSurplus(facts, desired() - want.keep + beyondDesired(facts.group), now))
    leave.push({ kind: 'remove-and-terminate', because: 'idle-surplus', ...going(id, want.keep) });
  return [
    ...leave,
    // A job that has lost one launch does not wait for a third.
    ...decideSizes(sizes, {
      ...facts.group,
      wanted: want.launch,
      spotIsClosed: taken.length > 0 || facts.spotIsClosed === true,
    }),
    ...removable(facts.hosts, 'gone', secondReadingMs, now)
      .slice(0, 5 * mostOfEach)
      .map(([instanceId]) => ({ kind: 'remove-runner', instanceId }) as const),
    ...inDoubt(facts, now).map((instanceId) => ({ kind: 'ask-for-runner', instanceId }) as const),
  ];
}

/** Members that a group has beside its desired ones: it launches one to balance its zones, and cannot end any that is protected. */
export const beyondDesired = ({
  instances,
  desiredCapacity,
}: Pick<GroupFacts, 'instances' | 'desiredCapacity'>): number =>
  Math.max(0, instances.filter(isPresent).length - desiredCapacity);

/** The hosts that have been in this state for at least `forMs`, the longest first. */
const inState = (hosts: HostNotes, is: HostNote['is'], forMs = 0, now = 0): [string, HostNote][] =>
  Object.entries(hosts)
    .filter(([, note]) => note.is === is && (forMs === 0 || now - note.since >= forMs))
    .toSorted(([, a], [, b]) => a.since - b.since);

/** As `inState`, without those whose runner had a job a moment ago. */
const removable = (hosts: HostNotes, is: HostNote['is'], forMs: number, now: number): [string, HostNote][] =>
  inState(hosts, is, forMs, now).filter(
    ([, { refusedAt }]) => refusedAt === undefined || now - refusedAt >= removeAgainMs,
  );

/**
 * While instances cannot be registered their boots go on: those that no job waits for any more are ended, and all of a group that may have none.
 * It is deleted when the last one is gone, and of a type whose key has left the fleet's file none is registered any more.
 */
function unneededBoots(
  { group, hosts, registrationFails }: RoundFacts,
  surplus: number,
  now: number,
): [string, 'not-needed'][] {
  if (!registrationFails) return [];
  const closes = mayHaveNone(group);
  return inState(hosts, 'booting', closes ? 0 : oldBootMs, now)
    .slice(0, Math.min(mostOfEach, closes ? mostOfEach : Math.max(0, surplus)))
    .map(([id]) => [id, 'not-needed']);
}

/** Of what a host says, and of what is noted of it. */
const withoutJob = /booting|starting|stopped/;

/** It has a notice and boots, or has stopped: its place need not wait for the two minutes. */
const takenWithoutJob = ({ hosts, reports }: RoundFacts): readonly string[] =>
  Object.keys(hosts).filter((id) => {
    const { reclaimed, phase = '' } = reports.get(id) ?? {};
    return reclaimed === true && withoutJob.test(phase) && withoutJob.test(hosts[id]!.is);
  });

/** Alive, without a Worker, and the service does not know it: a listener that hangs, or a runner that was deleted. */
function unknownRunners({ hosts, reports }: RoundFacts): [string, 'runner-unknown'][] {
  return inState(hosts, 'idle')
    .filter(
      ([, { unknownSince, askedAt = 0 }]) => unknownSince !== undefined && askedAt - unknownSince >= secondReadingMs,
    )
    .filter(([id]) => saysNoWorker(reports.get(id)))
    .slice(0, mostOfEach)
    .map(([id]) => [id, 'runner-unknown']);
}

/** Oldest idle first; a share of a large surplus, so that it is gone within minutes. Of a fleet that may have none every idle host is one. */
function idleSurplus(facts: RoundFacts, beyondWant: number, now: number): readonly string[] {
  const closes = mayHaveNone(facts.group);
  const idle = inState(facts.hosts, 'idle', closes ? 0 : leastIdleMs, now);
  const surplus = closes ? idle.length : beyondWant;
  if (surplus <= 0 || (!closes && facts.surplusWindows < surplusAfterWindows)) return [];
  return idle
    .filter(([id]) => saysNoWorker(facts.reports.get(id)))
    .slice(0, Math.min(surplus, Math.max(mostOfEach, Math.ceil(surplus / 4))))
    .map(([id]) => id);
}

/** So `drover fleet destroy` leaves it: nothing is launched any more, and what is there goes. */
export const mayHaveNone = ({ maxSize }: Pick<GroupFacts, 'maxSize'>): boolean => maxSize === 0;

export const saysNoWorker = (report: HostReport | undefined): boolean => report !== undefined && report.workers === 0;

function inDoubt({ hosts }: RoundFacts, now: number): readonly string[] {
  return inState(hosts, 'idle', askAfterMs, now)
    .filter(([, { askedAt = 0, unknownSince }]) => {
      const pauseMs = unknownSince === undefined ? askAgainMs : secondReadingMs;
      return now - askedAt >= pauseMs;
    })
    .slice(0, mostOfEach)
    .map(([id]) => id);
}
