import type { ShardRouting } from '../state/shard.ts';

/** The history of a copy as the recovery APIs show it. */
export interface RecoveryState {
  readonly index: string;
  readonly shard: number;
  readonly primary: boolean;
  readonly type: 'EMPTY_STORE' | 'EXISTING_STORE' | 'PEER' | 'SNAPSHOT';
  readonly targetNode: string;
  readonly sourceNode?: string;
  readonly repository?: string;
  readonly snapshot?: string;
  readonly startMs: number;
  readonly totalBytes: number;
  /** Bytes that the node had already. */
  readonly reusedBytes: number;
  readonly files: number;
  readonly reusedFiles: number;
  stage: 'INIT' | 'INDEX' | 'TRANSLOG' | 'FINALIZE' | 'DONE';
  stopMs: number | undefined;
  recoveredBytes: number;
  /** Operations that are replayed. */
  readonly operations: number;
}

export function newRecovery(shard: ShardRouting, startMs: number, part: Partial<RecoveryState>): RecoveryState {
  return {
    index: shard.index,
    shard: shard.shard,
    primary: shard.primary,
    type: shard.recoverySource?.type ?? 'PEER',
    targetNode: shard.node!,
    startMs,
    totalBytes: 0,
    reusedBytes: 0,
    files: 0,
    reusedFiles: 0,
    stage: 'INDEX',
    stopMs: undefined,
    recoveredBytes: 0,
    operations: 0,
    ...part,
  };
}
