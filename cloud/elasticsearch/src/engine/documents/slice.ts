import { NotModelled } from '../errors.ts';
import { type IndexMetadata, numberOfShards } from '../state/index-metadata.ts';

/** A part of what a search finds ("Slice"). */
export interface Slice {
  readonly id: number;
  readonly max: number;
}

/**
 * Whether a slice takes the documents of a shard. "By default the splitting is done first on the shards, then locally on each shard":
 * as many slices as shards are one shard each, and no others are modelled.
 */
export function takesShard({ id, max }: Slice, index: IndexMetadata, shard: number): boolean {
  if (max !== numberOfShards(index))
    throw new NotModelled(`[slice] with another [max] than the ${numberOfShards(index)} shards of ${index.name}`);
  return id === shard;
}
