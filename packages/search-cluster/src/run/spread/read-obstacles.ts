import type { Clock } from '@drover/core';
import { namesOf } from '@drover/core/names/node-groups';
import { obstacles, type QuietFacts } from '../../decide/spread/obstacles.ts';
import type {
  AwaitedDeployments,
  ClusterHealthReader,
  GroupInstances,
  GroupSizes,
  ShutdownRecords,
  TopologyReader,
  VotingExclusions,
} from '../../ports.ts';
import type { UpgradeReader } from '../upgrade/upgrade-cluster.ts';

export interface QuietRun {
  readonly clock: Clock;
  /** The prefix of groups' and metrics' names. */
  readonly resourceName: string;
  readonly search: {
    readonly health: ClusterHealthReader;
    readonly topology: TopologyReader;
    readonly records: Pick<ShutdownRecords, 'list'>;
    readonly voting: Pick<VotingExclusions, 'read'>;
    readonly upgrade: Pick<UpgradeReader, 'nodes'>;
  };
  readonly instances: Pick<GroupInstances, 'groupsOf' | 'ofGroups'>;
  readonly sizes: Pick<GroupSizes, 'frames' | 'refreshing'>;
  readonly deployments: Pick<AwaitedDeployments, 'read'>;
}

/** Why nothing may be begun now, in any group. `healthOf` may overlook a colour that is what the act would mend. */
export async function readObstacles(
  run: QuietRun,
  healthOf: (health: QuietFacts['health']) => Promise<QuietFacts['health']> = async (health) => health,
): Promise<readonly string[]> {
  const { search } = run;
  const names = namesOf(await run.instances.groupsOf(run.resourceName));
  const facts = {
    groups: await run.sizes.frames(names),
    instances: await run.instances.ofGroups(names),
    refreshes: await run.sizes.refreshing(names),
    deployment: await run.deployments.read(),
    topology: await search.topology.topology(),
    records: await search.records.list(),
    voting: await search.voting.read(),
    versions: (await search.upgrade.nodes()).map(({ version }) => version),
    health: await healthOf(await search.health.health()),
  };
  return obstacles(facts, run.clock.now());
}
