import type { ClusterState } from '@drover/observation/api';
import { counted, span, timeOfDay } from '../words.ts';

/** The last known state of a cluster that does not respond, and its age. */
export function lastKnown({ lastRead }: Pick<ClusterState, 'lastRead'>, now: number): string {
  if (lastRead === undefined) return 'shards and documents: not known';
  const { at, health, activeShards, unassignedShards, documents } = lastRead;
  const shards = `${counted(activeShards, 'shard')}, ${unassignedShards} unassigned, ${counted(documents, 'document')}`;
  return `last read ${span(now - at)} ago, at ${timeOfDay(at)}: ${health}, ${shards}`;
}
