import { scalingAlarms } from '@drover/core/names/runner-fleet';
import type { FleetSample, FleetState, JobState, LifeEvent, Observation } from '../../api.ts';
import { type FleetEvent, lifeEvent, recentEvent } from '../../story/events.ts';
import { platformState } from '../gather/platform.ts';
import { clusterState } from './cluster-state.ts';
import { accountEvents } from './events.ts';
import type { AccountFacts, Surroundings } from './facts.ts';
import { fleetState, noFleet } from './fleet-state.ts';
import { incidentsOf } from './incidents.ts';

const eventsKept = 100;

/** An account as the page shows it. */
export function observationOf(facts: AccountFacts, { now, history, readings, nodes }: Surroundings): Observation {
  const { watched, groups } = facts;
  const fleet = fleetOf(facts, now);
  const events = eventsOf(facts, fleet.jobs);
  return {
    clock: { now, speed: 1, paused: false, behind: false },
    zones: groups.zones().map((name) => ({ name, lost: false })),
    fleet: { ...fleet, history: dayOf(facts, history) },
    platform: facts.platform?.state() ?? platformState(),
    cluster: clusterState(facts, { now, readings, nodes }),
    functions: facts.functions.states(),
    alarms: facts.alarms.states(scalingOf(facts)),
    incidents: incidentsOf({
      events,
      isAtRest: (group) => isAtRest(facts, group),
      endsByRequest: (group) =>
        watched.fleet?.groups.some(({ groupName }) => groupName === group) === true && watched.fleet.ports.jobsMode,
    }),
    promises: [],
    events: events.slice(-eventsKept).reverse().map(recentEvent),
    unknown: unknownOf(facts),
    readings,
    attention: facts.doctor.attention(),
    cost: facts.cost?.latest(),
  };
}

/** The samples of the console, and before them those that CloudWatch has. */
function dayOf({ past }: AccountFacts, own: readonly FleetSample[]): readonly FleetSample[] {
  const begin = own[0]?.at ?? Number.POSITIVE_INFINITY;
  return [...(past?.samples() ?? []).filter(({ at }) => at < begin), ...own];
}

export const fleetOf = (facts: AccountFacts, now: number): Omit<FleetState, 'history'> =>
  facts.watched.fleet === undefined ? noFleet : fleetState(facts, facts.watched.fleet, now);

/** The known events of an instance's life, oldest first. */
export const lifeOf = (facts: AccountFacts, now: number, instanceId: string): LifeEvent[] =>
  eventsOf(facts, fleetOf(facts, now).jobs)
    .filter(({ instance }) => instance === instanceId)
    .map(lifeEvent);

const scalingOf = ({ watched: { fleet } }: AccountFacts): readonly string[] =>
  fleet === undefined ? [] : scalingAlarms(fleet.groupName);

function eventsOf(facts: AccountFacts, jobs: readonly JobState[]): FleetEvent[] {
  const scaling = scalingOf(facts);
  return accountEvents({
    activities: facts.activities.all(),
    alarms: facts.alarms.changes().filter(({ alarm }) => !scaling.includes(alarm)),
    failures: facts.functions.failures(),
    jobs,
  });
}

function isAtRest({ groups }: AccountFacts, name: string): boolean {
  const group = groups.group(name);
  const members = group?.Instances ?? [];
  return (
    group !== undefined &&
    members.length === group.DesiredCapacity &&
    members.every(({ LifecycleState }) => LifecycleState === 'InService')
  );
}

function unknownOf({ watched: { fleet, cluster } }: AccountFacts): Observation['unknown'] {
  return {
    tools: 'This console only reads: it changes nothing in your account. drover local has the tools that break things.',
    promises: 'Promises are judged in drover local only.',
    hooks: 'No API shows until when a hook waits.',
    ...(fleet?.ports.jobsMode === true
      ? {}
      : { queue: 'Which jobs wait, and for how long, is known to GitHub alone: it has no list of them for runners.' }),
    ...(fleet === undefined ? { fleet: 'None of the named stacks has a runner fleet.' } : {}),
    ...(cluster === undefined ? { cluster: 'None of the named stacks has a search cluster.' } : {}),
  };
}
