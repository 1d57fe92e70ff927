import { type Refusal, refuse } from '@drover/core';
import type { GroupMember } from '../../model/lifecycle.ts';
import { notLaunching } from './commission.ts';

/** The possible holdings of a node whose launch failed. */
export type Holdings =
  | { readonly kind: 'shards'; readonly count: number }
  /** Elasticsearch does not respond; only the contents of its data folder are known. */
  | { readonly kind: 'unknown'; readonly indicesOnDisk: number };

/** Whether a launch may be given up: never with data that might be nowhere else. */
export function checkAbandon(
  member: GroupMember | undefined,
  holdings: Holdings,
): Refusal<'not-in-a-group' | 'not-launching' | 'holds-shards' | 'may-hold-shards'> | undefined {
  if (member === undefined) return refuse('not-in-a-group', 'the instance is in no autoscaling group');
  if (!member.lifecycleState.startsWith('Pending')) return notLaunching(member.lifecycleState);
  const drain = 'drain it first: cluster-cli cluster decommission-node --reason "launch failed"';
  if (holdings.kind === 'shards' && holdings.count > 0)
    return refuse('holds-shards', `the node holds ${holdings.count} shards`, drain);
  if (holdings.kind === 'unknown' && holdings.indicesOnDisk > 0)
    return refuse(
      'may-hold-shards',
      `Elasticsearch does not respond and its data folder has ${holdings.indicesOnDisk} indices`,
      `start Elasticsearch, then ${drain}`,
    );
  return undefined;
}

/** Neither in Elasticsearch nor on its disk. */
export const holdsNothing = (holdings: Holdings): boolean =>
  holdings.kind === 'shards' ? holdings.count === 0 : holdings.indicesOnDisk === 0;
