import { drillPrefix } from '@drover/core/names/search-cluster';

/** Which shard, as people and the allocation API name it. */
export interface ShardName {
  readonly index: string;
  readonly shard: number;
  readonly primary: boolean;
}

export type ShardState = 'STARTED' | 'RELOCATING' | 'INITIALIZING' | 'UNASSIGNED';

/** One copy of a shard and where it is. */
export interface ShardCopy extends ShardName {
  readonly state: ShardState;
  /** Undefined while unassigned. */
  readonly nodeId: string | undefined;
  readonly bytes: number;
}

/** `shard [0] [primary] of index [logs]`, the wording of Elasticsearch. */
export const nameShard = (shard: ShardName): string =>
  `shard [${shard.shard}] [${shard.primary ? 'primary' : 'replica'}] of index [${shard.index}]`;

/** The copy that a restore drill makes: no client reads it, and the drill deletes it when a node is to leave or restart. */
export const isDrillCopy = ({ index }: Pick<ShardName, 'index'>): boolean => index.startsWith(drillPrefix);

/** A copy that serves now. */
export const isActive = (copy: ShardCopy): boolean => copy.state === 'STARTED' || copy.state === 'RELOCATING';

/** One rule of Elasticsearch's allocation and what it said. */
export interface DeciderVerdict {
  /** `disk_threshold`, `same_shard`, `awareness`, … */
  readonly decider: string;
  readonly explanation: string;
}

/** The allocation explanation's verdict on one node that could take a shard. */
export interface NodeVerdict {
  readonly nodeId: string;
  readonly nodeName: string;
  /** False only for the decision `no`: `throttled` and `worse_balance` mean "later" and "possible". */
  readonly possible: boolean;
  /** The rules that said no. */
  readonly against: readonly DeciderVerdict[];
}
