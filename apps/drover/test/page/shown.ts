import type { Observation } from '@drover/observation/api';
import { phaseOfInstance, phaseOfNode, runsJob } from '@drover/observation/phase';
import type { Facts } from '../same-facts.test-support.ts';

/** An observation as the page shows it: every cell, card and pill, by the names that `truthOf` has too. */
export function shownBy({ fleet, cluster, zones, platform, alarms, functions, promises }: Observation): Facts {
  const facts: [string, unknown][] = [
    ['desired', fleet.desiredCapacity],
    ['limits', [fleet.minSize, fleet.maxSize]],
    ['busy', fleet.instances.filter(runsJob).length],
    ['idle', fleet.instances.filter((one) => phaseOfInstance(one) === 'idle').length],
    ...(fleet.queuedJobs === undefined ? [] : [['queued', fleet.queuedJobs] as [string, unknown]]),
    ['jobs done', fleet.completedJobs],
    ['jobs lost', fleet.lostJobs],
    ['GitHub', platform.down ? 'down' : platform.rateLimited ? 'rate-limited' : 'up'],
    [
      'functions that fail',
      functions
        .filter(({ last }) => last[0]?.ok === false)
        .map(({ name }) => name)
        .sort(),
    ],
    [
      'alarms',
      alarms
        .filter(({ state, scaling }) => state === 'ALARM' && !scaling)
        .map(({ name }) => name)
        .sort(),
    ],
    ...zones.map(({ name, lost }): [string, unknown] => [`zone ${name}`, lost]),
    ...fleet.instances.map((one): [string, unknown] => [`cell ${one.id}`, phaseOfInstance(one)]),
    ...fleet.instances.map((one): [string, unknown] => [`job on ${one.id}`, one.job]),
    ...cluster.nodes.map((one): [string, unknown] => [`node ${one.instanceId}`, phaseOfNode(one)]),
    ['elected master', cluster.nodes.find(({ electedMaster }) => electedMaster)?.instanceId],
    ['cluster', cluster.health],
    ['way out', wayOut(cluster)],
    ...(cluster.health === 'unknown'
      ? []
      : ([
          ['shards', cluster.activeShards],
          ['unassigned', cluster.unassignedShards],
        ] as [string, unknown][])),
    ...promises.map(({ name, kept, unknownSince, explanation }): [string, unknown] => [
      name,
      !kept ? `broken: ${explanation}` : unknownSince === undefined ? 'kept' : 'not known',
    ]),
  ];
  return new Map(facts.map(([name, value]) => [name, JSON.stringify(value) ?? 'nothing']));
}

function wayOut({ trouble }: Observation['cluster']): string {
  if (trouble === undefined) return 'none needed';
  if (/recover-cluster|cluster doctor/.test(trouble)) return 'a way out is named';
  return /election is under way/.test(trouble) ? 'an election is under way' : trouble;
}
