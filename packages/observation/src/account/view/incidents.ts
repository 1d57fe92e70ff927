import type { Incident, IncidentStep } from '../../api.ts';
import type { GroupActivity } from '../gather/activities.ts';
import type { AlarmChange } from '../gather/alarms.ts';
import type { FunctionRun } from '../gather/function-runs.ts';
import { becauseOf, type Happenings, isFailedLaunch, type Moment } from './moments.ts';

const incidentsKept = 30;
const stepsKept = 120;
const minute = 60_000;
/** Failures of a function that are so close together are one incident. */
const togetherMs = 10 * minute;

/** A part of the past that an operator should know of. */
interface Opening {
  readonly kind: Incident['kind'];
  readonly title: string;
  readonly at: number;
  readonly endedAt: number | undefined;
  readonly outcome: string;
  concerns(moment: Moment): boolean;
}

export interface IncidentFacts extends Happenings {
  /** Every moment, oldest first. */
  readonly moments: readonly Moment[];
  /** As many instances are in service as are desired, and none comes or goes. */
  isAtRest(group: string): boolean;
  /** Whether ending an instance by request is how this group works. */
  endsByRequest(group: string): boolean;
}

/** The incidents in the activities, alarms and logs, newest first. The same past gives the same incidents. */
export function incidentsOf(facts: IncidentFacts): Incident[] {
  const openings = [...ofTerminations(facts), ...ofFailedLaunches(facts)];
  const covered = (at: number) => openings.some((one) => at >= one.at && at <= (one.endedAt ?? at) + minute);
  const others = [...ofAlarms(facts.alarms), ...ofFunctions(facts.failures)].filter(({ at }) => !covered(at));
  const newest = [...openings, ...others].sort((a, b) => a.at - b.at).slice(-incidentsKept);
  return newest.map((opening, index) => toIncident(opening, index, facts.moments)).reverse();
}

function toIncident(opening: Opening, index: number, moments: readonly Moment[]): Incident {
  const { kind, title, at, endedAt, outcome } = opening;
  const within = moments.filter((moment) => moment.at >= at && moment.at <= (endedAt ?? moment.at));
  const steps = within.filter((moment) => isCommon(moment) || opening.concerns(moment)).map(toStep);
  const lost = within.filter((moment) => moment.job !== undefined && moment.bad && opening.concerns(moment));
  const losses = lost.map(({ text }) => `${text[0]!.toUpperCase()}${text.slice(1)}.`);
  const state = endedAt === undefined ? 'open' : lost.length > 0 ? 'bad' : 'good';
  return {
    // Moments tell incidents apart; several may begin in the same.
    id: at * 100 + (index % 100),
    kind,
    title,
    openedAt: at,
    steps: [{ at, text: title, bad: kind === 'fault', about: undefined }, ...steps].slice(0, stepsKept),
    verdict: { state, text: endedAt === undefined ? '' : [outcome, ...losses].join(' ') },
    endedAt,
  };
}

/** Alarms and functions belong to every incident in whose time they fall. */
const isCommon = ({ instance, group, job }: Moment) =>
  instance === undefined && group === undefined && job === undefined;

function toStep({ at, text, bad, instance, job }: Moment): IncidentStep {
  if (job !== undefined) return { at, text, bad, about: `job/${job}` };
  if (instance === undefined) return { at, text, bad, about: undefined };
  return { at, text: `${instance} ${text}`, bad, about: `instance/${instance}` };
}

const faults = /health check|health-check|status checks failure|Spot Instance interruption|launch failure/i;
const requests = /a user request/i;
const refreshes = /an instance refresh/i;

/** Instances that were taken out of service for another reason than the size of the group. */
function ofTerminations(facts: IncidentFacts): Opening[] {
  const terminations = facts.activities.filter(({ kind }) => kind === 'termination');
  const single = terminations.filter(
    (one) => faults.test(one.cause) || (requests.test(one.cause) && !facts.endsByRequest(one.group)),
  );
  const replaced = terminations.filter(({ cause }) => refreshes.test(cause));
  return [...single.map((one) => leaving(facts, one)), ...refreshesOf(facts, replaced)];
}

function leaving(facts: IncidentFacts, termination: GroupActivity): Opening {
  const { cause, startedAt, group } = termination;
  const instance = termination.instance ?? 'an instance';
  const isFault = faults.test(cause);
  const successor = successorOf(facts.activities, termination);
  return {
    kind: isFault ? 'fault' : 'act',
    title: isFault
      ? `${instance} of ${group} failed: ${becauseOf(termination)}.`
      : `${instance} of ${group} was terminated by request.`,
    at: startedAt,
    endedAt: endOf(facts, termination, successor),
    outcome: successor?.endedAt === undefined ? 'It is gone.' : `It is gone, and ${successor.instance} replaces it.`,
    concerns: (moment) =>
      moment.instance === instance || (successor !== undefined && moment.instance === successor.instance),
  };
}

/** The launch that takes the place of an instance: the first that began after its termination did. */
const successorOf = (activities: readonly GroupActivity[], { group, startedAt }: GroupActivity) =>
  activities.find(
    (one) => one.kind === 'launch' && one.group === group && one.startedAt >= startedAt && !isFailedLaunch(one),
  );

function endOf(
  facts: IncidentFacts,
  { endedAt, group }: GroupActivity,
  successor: GroupActivity | undefined,
): number | undefined {
  if (endedAt === undefined) return undefined;
  if (successor?.endedAt !== undefined) return Math.max(endedAt, successor.endedAt);
  return facts.isAtRest(group) ? endedAt : undefined;
}

/** The replacements of one refresh follow each other; after an hour without one the next belongs to another. */
function refreshesOf(facts: IncidentFacts, replaced: readonly GroupActivity[]): Opening[] {
  return runsOf(
    replaced,
    ({ group }) => group,
    (one) => one.startedAt,
    60 * minute,
  ).map((run) => {
    const [first] = run;
    const last = run.at(-1)!;
    const { group } = first!;
    return {
      kind: 'act',
      title: `An instance refresh of ${group} replaces its instances.`,
      at: first!.startedAt,
      endedAt: endOf(facts, last, successorOf(facts.activities, last)),
      outcome: `${run.length} instances of ${group} were replaced.`,
      concerns: (moment) => moment.group === group,
    };
  });
}

/** Launches that failed, until one succeeds. */
function ofFailedLaunches({ activities, isAtRest }: IncidentFacts): Opening[] {
  const failed = activities.filter(isFailedLaunch);
  return runsOf(
    failed,
    ({ group }) => group,
    (one) => one.startedAt,
    30 * minute,
  ).map((run) => {
    const [first] = run;
    const { group, startedAt, message } = first!;
    const last = run.at(-1)!;
    const next = activities.find(
      (one) =>
        one.kind === 'launch' && one.group === group && one.startedAt > last.startedAt && one.status === 'Successful',
    );
    return {
      kind: 'fault',
      title: `${run.length === 1 ? 'A launch' : `${run.length} launches`} in ${group} failed: ${message}`,
      at: startedAt,
      endedAt: next?.endedAt ?? (isAtRest(group) ? last.endedAt : undefined),
      outcome: next === undefined ? 'The group is complete.' : `${next.instance} was launched.`,
      concerns: (moment) => moment.group === group,
    };
  });
}

function ofAlarms(changes: readonly AlarmChange[]): Opening[] {
  return changes
    .filter(({ to }) => to === 'ALARM')
    .map(({ alarm, at }) => ({
      kind: 'fault',
      title: `Alarm ${alarm} went off.`,
      at,
      endedAt: changes.find((one) => one.alarm === alarm && one.at > at)?.at,
      outcome: 'It is over.',
      concerns: () => false,
    }));
}

function ofFunctions(failures: readonly FunctionRun[]): Opening[] {
  return runsOf(
    failures,
    (one) => one.function,
    ({ at }) => at,
    togetherMs,
  ).map((run) => {
    const [first] = run;
    return {
      kind: 'fault',
      title: `Function ${first!.function} ${first!.text}.`,
      at: first!.at,
      endedAt: run.at(-1)!.at,
      outcome: run.length === 1 ? 'It failed once.' : `It failed ${run.length} times.`,
      concerns: () => false,
    };
  });
}

/** Those with the same name that follow each other within `gapMs`, oldest first. */
function runsOf<T>(all: readonly T[], nameOf: (one: T) => string, atOf: (one: T) => number, gapMs: number): T[][] {
  const runs: T[][] = [];
  const open = new Map<string, T[]>();
  for (const one of all) {
    const run = open.get(nameOf(one));
    if (run !== undefined && atOf(one) - atOf(run.at(-1)!) <= gapMs) run.push(one);
    else {
      const begun = [one];
      open.set(nameOf(one), begun);
      runs.push(begun);
    }
  }
  return runs;
}
