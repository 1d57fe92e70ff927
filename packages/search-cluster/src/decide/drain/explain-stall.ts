import { type Refusal, refuse } from '@drover/core';
import type { NodeVerdict } from '../../model/shard.ts';
import { nameShard, type ShardName } from '../../model/shard.ts';
import type { ShutdownRecord } from '../../model/shutdown.ts';
import { leadingDecider } from './check-last-copy.ts';
import { remedyFor } from './remedies.ts';

/** The shard that Elasticsearch's explanation of a stalled shutdown names. */
export function stalledShard(record: ShutdownRecord): ShardName | undefined {
  const match = /shard \[(\d+)\] \[(primary|replica)\] of index \[([^\]]+)\]/.exec(record.explanation ?? '');
  return match === null ? undefined : { index: match[3]!, shard: Number(match[1]), primary: match[2] === 'primary' };
}

/** STALLED turned into an instruction: which shard, which decider, which command unblocks it. */
export function explainStall(record: ShutdownRecord, verdicts: readonly NodeVerdict[]): Refusal<'stalled'> {
  const shard = stalledShard(record);
  if (shard === undefined)
    return refuse(
      'stalled',
      record.explanation ?? `the drain of node ${record.nodeId} does not go on and Elasticsearch does not say why`,
      'see why: cluster-cli cluster allocation-explain',
    );
  const decider = leadingDecider(verdicts);
  if (decider === undefined) return refuse('stalled', record.explanation!, explainCommand(shard));
  return refuse(
    'stalled',
    `${nameShard(shard)} cannot move: decider ${decider.decider} says no: ${decider.explanation}`,
    remedyFor(decider, shard),
  );
}

const explainCommand = (shard: ShardName) =>
  `see why: cluster-cli cluster allocation-explain --index ${shard.index} --shard ${shard.shard} --${shard.primary ? 'primary' : 'replica'}`;
