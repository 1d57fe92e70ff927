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

/** A copy that serves now. */
export const isActive = (copy: ShardCopy): boolean => copy.state === 'STARTED' || copy.state === 'RELOCATING';
