import type { AlarmState, InstanceState, JobState, NodeState, Observation } from '@drover/observation/api';
import type { LocalWorld } from '../../../packages/local/src/local/local-world.ts';

/** Facts by name, each as text, so that two observations can be compared one by one. */
export type Facts = ReadonlyMap<string, string>;

/** An account is asked for the runs of the last hour. */
const runsKnownMs = 55 * 60_000;

/** Facts that both a world and an account know of the same system at one moment. */
export function factsOf(observation: Observation): Facts {
  const { fleet, cluster, platform } = observation;
  const said = new Map<string, unknown>([
    ['zones', observation.zones.map(({ name }) => name)],
    ['fleet', [fleet.groupName, fleet.minSize, fleet.maxSize, fleet.desiredCapacity, fleet.allowedDrainSeconds]],
    ['idle target', fleet.idleTarget],
    ['instances', fleet.instances.map(({ id }) => id).sort()],
    ['refreshes', [fleet.refresh, ...cluster.refreshes]],
    ['platform', [platform.down, platform.rateLimited]],
    ['cluster', [cluster.name, cluster.health, cluster.activeShards, cluster.unassignedShards]],
    ['cluster groups', cluster.groups],
    ['documents', cluster.documents],
    ['unassigned', cluster.unassigned.map(({ index, number, primary }) => [index, number, primary])],
    ['relocations', cluster.relocations.map(({ index, number, from, to }) => [index, number, from, to]).sort()],
    ...fleet.instances.map((one) => [`instance ${one.id}`, instanceFacts(one)] as const),
    ...fleet.instances.map((one) => [`runner ${one.id}`, one.runner] as const),
    ...cluster.nodes.map((one) => [`node ${one.instanceId}`, nodeFacts(one)] as const),
    ...cluster.nodes.map(
      (one) => [`drain ${one.instanceId}`, one.drain && [one.drain.shardsLeft, one.drain.status]] as const,
    ),
    ...cluster.snapshots.map(({ policy, ...facts }) => [`snapshots ${policy}`, facts] as const),
    ...observation.alarms.map((one) => [`alarm ${one.name}`, alarmFacts(one)] as const),
    ...observation.functions
      .filter(({ last }) => (last[0]?.at ?? 0) > observation.clock.now - runsKnownMs)
      .map(({ name, last }) => [`function ${name}`, [last[0]!.ok, last[0]!.text]] as const),
    ...fleet.jobs.filter(isTold).map((job) => [`job ${job.id}`, jobFacts(job)] as const),
  ]);
  return new Map([...said].map(([name, value]) => [name, JSON.stringify(value) ?? 'nothing']));
}

/** The instances of the fleet at this very moment: what Auto Scaling says of one may be over a second later. */
export const instancesNow = ({ world }: LocalWorld): Facts =>
  new Map(
    [...world.observe.group('runners')!.members.values()].map((one) => [
      `instance ${one.instanceId}`,
      JSON.stringify(
        instanceFacts({
          zone: one.zone,
          lifecycleState: one.state,
          warmPool: one.state.startsWith('Warmed:'),
          spot: one.spot,
          protected: one.protectedFromScaleIn,
          healthy: one.healthy,
        }),
      ),
    ]),
  );

type InstanceFacts = Pick<InstanceState, 'zone' | 'lifecycleState' | 'warmPool' | 'spot' | 'protected' | 'healthy'>;

const instanceFacts = ({ zone, lifecycleState, warmPool, spot, protected: kept, healthy }: InstanceFacts) => ({
  zone,
  lifecycleState,
  warmPool,
  spot,
  kept,
  healthy,
});

/** Since when an alarm that never changed is as it is, a world does not know. */
const alarmFacts = ({ state, since, meaning, scaling }: AlarmState) => ({
  state,
  meaning,
  scaling,
  ...(state === 'ALARM' ? { since } : {}),
});

/** By its name an account knows a node only once it is in the cluster; a fault of its machine it does not know. */
function nodeFacts({ instanceId: _, drain: _drain, machine: _machine, shards, name, ...facts }: NodeState) {
  const held = shards.map(({ index, number, primary, state }) => `${index}[${number}] ${primary} ${state}`);
  return { ...facts, shards: held.sort(), ...(facts.inCluster ? { name } : {}) };
}

/** A job that waits is known to a world alone; the agent reports a lost one before GitHub knows. */
const isTold = ({ state }: JobState) => state === 'running' || state === 'completed';

const jobFacts = ({ state, instance }: JobState) => ({ state, instance });
