import type { SettingsView } from '../coordination/settings.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import type { DiscoveryNode } from '../state/node-info.ts';
import type { ShardRouting } from '../state/shard.ts';
import type { RoutingNodes } from './routing-nodes.ts';

export type Verdict = 'YES' | 'NO' | 'THROTTLE';

/** The verdict of one decider, with the text that the explain API shows. */
export interface Decision {
  readonly decider: string;
  readonly verdict: Verdict;
  readonly explanation: string;
}

export interface DiskUsage {
  readonly totalBytes: number;
  readonly freeBytes: number;
}

/** Sizes that allocation looks at. */
export interface ClusterInfo {
  disk(nodeId: string): DiskUsage | undefined;
  /** Expected bytes of a copy of this shard, 0 when unknown. */
  shardBytes(shard: ShardRouting): number;
}

/** Everything a decider may look at. */
export interface AllocationContext {
  readonly state: ClusterState;
  readonly routing: RoutingNodes;
  readonly settings: SettingsView;
  readonly info: ClusterInfo;
  readonly nowMs: number;
  readonly version: string;
  /** Manual commands go past `cluster.routing.allocation.enable`. */
  readonly ignoreDisable: boolean;
  /** True while desired balance is computed: recoveries count for nothing then. */
  readonly simulating: boolean;
  /** Shards of which a snapshot is being taken. */
  readonly snapshotting: ReadonlySet<string>;
  /** Notes what the round will have to be repeated for. */
  readonly waits: { snapshot: boolean };
}

/** One rule of where shards may be. A method that is absent has no opinion. */
export interface Decider {
  readonly name: string;
  canAllocate?(shard: ShardRouting, node: DiscoveryNode, context: AllocationContext): Decision | undefined;
  canRemain?(shard: ShardRouting, node: DiscoveryNode, context: AllocationContext): Decision | undefined;
  canRebalance?(shard: ShardRouting | undefined, context: AllocationContext): Decision | undefined;
}

export const yes = (decider: string, explanation: string): Decision => ({ decider, verdict: 'YES', explanation });
export const no = (decider: string, explanation: string): Decision => ({ decider, verdict: 'NO', explanation });
export const throttle = (decider: string, explanation: string): Decision => ({
  decider,
  verdict: 'THROTTLE',
  explanation,
});

/** The strictest of several: NO before THROTTLE before YES. */
export function combined(decisions: readonly Decision[]): Verdict {
  if (decisions.some((decision) => decision.verdict === 'NO')) return 'NO';
  return decisions.some((decision) => decision.verdict === 'THROTTLE') ? 'THROTTLE' : 'YES';
}

/** Reference address of a page for the version the cluster reports. */
export function referencePage(version: string, page: string): string {
  const [major, minor] = version.split('.') as [string, string];
  if (Number(major) >= 9) return `https://www.elastic.co/docs/${page.replace('.html', '')}?version=${major}.${minor}`;
  return `https://www.elastic.co/guide/en/elasticsearch/reference/${major}.${minor}/${page}`;
}
