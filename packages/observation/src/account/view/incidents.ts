import type { Incident, LostBy } from '../../api.ts';
import { type EventKind, type FleetEvent, isOfGroup } from '../../story/events.ts';
import { addEvent, closeStory, incidentsKept, openStory } from '../../story/incident.ts';
import { lossText } from '../../story/losses.ts';

const minute = 60_000;
/** Failures of a function that are so close together are one incident. */
const togetherMs = 10 * minute;
/** Health checks of several groups find what went together at different times. */
const zoneGapMs = 5 * minute;

/** A part of the past that an operator should know of. */
interface Opening {
  readonly kind: Incident['kind'];
  readonly title: string;
  readonly at: number;
  readonly endedAt: number | undefined;
  readonly outcome: string;
  readonly group?: string | undefined;
  /** To whose account jobs go that its instances lost without a word. */
  readonly lostBy?: LostBy;
  /** Several instances of a zone: launches that fail meanwhile are part of it. */
  readonly ofZone?: boolean;
  readonly concerns: (event: FleetEvent) => boolean;
}

export interface IncidentFacts {
  /** Oldest first. */
  readonly events: readonly FleetEvent[];
  /** As many instances are in service as are desired, and none comes or goes. */
  isAtRest(group: string): boolean;
  /** Whether ending an instance by request is how this group works. */
  endsByRequest(group: string): boolean;
}

/** The incidents in the events of an account, newest first. The same past gives the same incidents. */
export function incidentsOf(facts: IncidentFacts): Incident[] {
  const left = ofTerminations(facts);
  const isOwn = (event: FleetEvent) => left.some((one) => one.ofZone === true && belongs(event, one, minute));
  const openings = [...left, ...ofFailedLaunches(facts, isOwn)];
  const rest = facts.events.filter((event) => !openings.some((one) => belongs(event, one, minute)));
  const others = [...ofAlarms(rest, facts.events), ...ofFunctions(rest)];
  const newest = [...openings, ...others].sort((a, b) => a.at - b.at).slice(-incidentsKept);
  return newest.map((opening, index) => toIncident(opening, index, facts)).reverse();
}

function toIncident(opening: Opening, index: number, { events }: IncidentFacts): Incident {
  const { kind, title, at, endedAt, outcome } = opening;
  // Moments tell incidents apart; several may begin in the same.
  const opened = openStory({ id: at * 100 + (index % 100), kind, title, openedAt: at });
  const story = events
    .filter((event) => belongs(event, opening))
    .map((event) => ({ ...event, by: event.why === givenUp ? ('by GitHub' as const) : opening.lostBy }))
    .reduce(addEvent, opened);
  return endedAt === undefined ? story.incident : closeStory(story, { endedAt, sentences: [outcome] });
}

/** An event in its time, of its group as a whole or of what it is about. */
function belongs(event: FleetEvent, { at, endedAt = event.at, group = '', concerns }: Opening, graceMs = 0): boolean {
  const isOfAll = event.instance === undefined && isOfGroup(event, group);
  return event.at >= at && event.at <= endedAt + graceMs && (isOfAll || concerns(event));
}

const givenUp = lossText('abandoned');

const faults = /health check|health-check|status checks failure|Spot Instance interruption|launch failure/i;
const requests = /a user request/i;
const refreshes = /an instance refresh/i;

/** Instances that were taken out of service for another reason than the size of the group. */
function ofTerminations(facts: IncidentFacts): Opening[] {
  const terminations = eventsOf(facts.events, 'terminating');
  const single = terminations.filter(
    ({ why = '', group = '' }) => faults.test(why) || (requests.test(why) && !facts.endsByRequest(group)),
  );
  const replaced = terminations.filter(({ why = '' }) => refreshes.test(why));
  const taken = new Set<string>();
  const openings = withOneCause(single).map((members) =>
    members.length === 1 ? leaving(facts, members[0]!, taken) : zoneFailure(facts, members, taken),
  );
  return [...openings, ...refreshesOf(facts, replaced)];
}

/** Instances of one zone that fail within minutes of each other have one cause. */
function withOneCause(terminations: readonly FleetEvent[]): readonly (readonly FleetEvent[])[] {
  const causes: FleetEvent[][] = [];
  for (const event of terminations) {
    const { zone, why = '', at } = event;
    const own = causes.findLast(
      ([first]) => zone !== undefined && first!.zone === zone && faults.test(first!.why ?? ''),
    );
    if (own !== undefined && faults.test(why) && at - own.at(-1)!.at <= zoneGapMs) own.push(event);
    else causes.push([event]);
  }
  return causes;
}

function zoneFailure(facts: IncidentFacts, members: readonly FleetEvent[], taken: Set<string>): Opening {
  const groups = [...new Set(members.map(({ group = '' }) => group))];
  const ends = members.map((one) => replacementOf(facts, one, taken));
  const ids = new Set([
    ...members.map(({ instance }) => instance),
    ...ends.flatMap(({ successor }) => successor ?? []),
  ]);
  const shares = groups.map((group) => `${members.filter((one) => one.group === group).length} of ${group}`);
  const replaced = ends.filter(({ serves }) => serves !== undefined).length;
  return {
    kind: 'fault',
    title: `${members.length} instances in ${members[0]!.zone} failed: ${shares.join(', ')}.`,
    at: members[0]!.at,
    endedAt: ends.some(({ endedAt }) => endedAt === undefined)
      ? undefined
      : Math.max(...ends.map(({ endedAt }) => endedAt!)),
    outcome: `They are gone, and ${replaced} of ${members.length} were replaced.`,
    lostBy: 'by hardware',
    ofZone: true,
    concerns: (event) =>
      event.instance === undefined ? groups.some((group) => isOfGroup(event, group)) : ids.has(event.instance),
  };
}

function leaving(facts: IncidentFacts, termination: FleetEvent, taken: Set<string>): Opening {
  const { at, group, why = '', instance = 'an instance' } = termination;
  const isFault = faults.test(why);
  const { endedAt, successor, serves } = replacementOf(facts, termination, taken);
  return {
    kind: isFault ? 'fault' : 'act',
    title: isFault ? `${instance} of ${group} failed: ${why}.` : `${instance} of ${group} was terminated by request.`,
    at,
    endedAt,
    outcome: serves === undefined ? 'It is gone.' : `It is gone, and ${successor} replaces it.`,
    group,
    ...(isFault ? { lostBy: 'by hardware' } : {}),
    concerns: (event) => event.instance === instance || (successor !== undefined && event.instance === successor),
  };
}

/** The first launch that began after the termination, did not fail and replaces no other, and when both are over. */
function replacementOf(
  { events, isAtRest }: IncidentFacts,
  { at, group = '', instance }: FleetEvent,
  taken: Set<string>,
) {
  const launched = launchAfter(
    events,
    group,
    at,
    ({ instance: other = '' }) =>
      !taken.has(other) && events.every((one) => one.kind !== 'launch-failed' || one.instance !== other),
  );
  const successor = launched?.instance;
  if (successor !== undefined) taken.add(successor);
  const serves = launched && servesAt(events, launched);
  const goneAt = eventsOf(events, 'gone').find((one) => one.instance === instance && one.at >= at)?.at;
  const ended = goneAt === undefined ? undefined : serves === undefined ? isAtRest(group) : true;
  return { successor, serves, endedAt: ended === true ? Math.max(goneAt!, serves ?? 0) : undefined };
}

const launchAfter = (
  events: readonly FleetEvent[],
  group: string,
  at: number,
  is: (event: FleetEvent) => boolean,
): FleetEvent | undefined =>
  eventsOf(events, 'launched', 'launched-into-pool').find((one) => one.group === group && one.at >= at && is(one));

/** When a launched instance was ready. */
const servesAt = (events: readonly FleetEvent[], { instance, at }: FleetEvent): number | undefined =>
  eventsOf(events, 'in-service', 'in-pool').find((one) => one.instance === instance && one.at >= at)?.at;

/** The replacements of one refresh follow each other; after an hour without one the next belongs to another. */
const refreshesOf = (facts: IncidentFacts, replaced: readonly FleetEvent[]): Opening[] =>
  runsOf(replaced, 'group', 60 * minute).map(({ first, last, count }) => ({
    kind: 'act',
    title: `An instance refresh of ${first.group} replaces its instances.`,
    at: first.at,
    endedAt: replacementOf(facts, last, new Set()).endedAt,
    outcome: `${count} instances of ${first.group} were replaced.`,
    group: first.group,
    concerns: ({ group }) => group === first.group,
  }));

/** Launches that failed, until one succeeds. */
function ofFailedLaunches({ events, isAtRest }: IncidentFacts, isOwn: (event: FleetEvent) => boolean): Opening[] {
  const failed = eventsOf(events, 'no-launch', 'launch-failed').filter((event) => !isOwn(event));
  return runsOf(failed, 'group', 30 * minute).map(({ first, last, count }) => {
    const { group = '', why } = first;
    const next = launchAfter(events, group, last.at, (one) => servesAt(events, one) !== undefined);
    return {
      kind: 'fault',
      title: `${count === 1 ? 'A launch' : `${count} launches`} in ${group} failed: ${why}`,
      at: first.at,
      endedAt: next === undefined ? (isAtRest(group) ? last.at : undefined) : servesAt(events, next),
      outcome: next === undefined ? 'The group is complete.' : `${next.instance} was launched.`,
      group,
      concerns: (event) => event.group === group,
    };
  });
}

const ofAlarms = (found: readonly FleetEvent[], events: readonly FleetEvent[]): Opening[] =>
  eventsOf(found, 'alarm-on').map(({ name, at }) => ({
    kind: 'fault',
    title: `Alarm ${name} went off.`,
    at,
    endedAt: eventsOf(events, 'alarm-on', 'alarm-over').find((one) => one.name === name && one.at > at)?.at,
    outcome: 'It is over.',
    concerns: () => false,
  }));

const ofFunctions = (events: readonly FleetEvent[]): Opening[] =>
  runsOf(eventsOf(events, 'function-failed'), 'name', togetherMs).map(({ first, last, count }) => ({
    kind: 'fault',
    title: `Function ${first.name} failed: ${first.why}.`,
    at: first.at,
    endedAt: last.at,
    outcome: count === 1 ? 'It failed once.' : `It failed ${count} times.`,
    concerns: () => false,
  }));

const eventsOf = (events: readonly FleetEvent[], ...kinds: readonly EventKind[]): readonly FleetEvent[] =>
  events.filter(({ kind }) => kinds.includes(kind));

interface Run {
  readonly first: FleetEvent;
  last: FleetEvent;
  count: number;
}

/** Events with the same group or name that follow each other within `gapMs`, oldest first. */
function runsOf(events: readonly FleetEvent[], by: 'group' | 'name', gapMs: number): readonly Run[] {
  const runs: Run[] = [];
  for (const event of events) {
    const run = runs.findLast(({ first }) => first[by] === event[by]);
    if (run === undefined || event.at - run.last.at > gapMs) runs.push({ first: event, last: event, count: 1 });
    else Object.assign(run, { last: event, count: run.count + 1 });
  }
  return runs;
}
