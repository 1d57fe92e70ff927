import type { Document } from '@drover/formats';
import { parseTimeMs } from '../values/units.ts';

export interface AliasMetadata {
  readonly filter?: Document;
  readonly index_routing?: string;
  readonly search_routing?: string;
  readonly is_write_index?: boolean;
  readonly is_hidden?: boolean;
}

/** One index in the cluster state. Settings are kept flat, as text, with the `index.` prefix. */
export interface IndexMetadata {
  readonly name: string;
  readonly uuid: string;
  readonly state: 'open' | 'close';
  readonly settings: Readonly<Record<string, string | readonly string[]>>;
  readonly mappings: Document;
  /** The mapping type name that a 7.x client gave, `_doc` otherwise. */
  readonly mappingType: string;
  readonly aliases: ReadonlyMap<string, AliasMetadata>;
  /** Per shard: the allocation ids of the copies that hold every acknowledged write. */
  readonly inSync: readonly (readonly string[])[];
  readonly primaryTerms: readonly number[];
  readonly version: number;
  readonly mappingVersion: number;
  readonly settingsVersion: number;
  readonly aliasesVersion: number;
  /** Set while the index is a system index such as `.security-7`. */
  readonly system?: boolean;
}

export function indexSetting(index: Pick<IndexMetadata, 'settings'>, key: string): string | undefined {
  const value = index.settings[key];
  return value === undefined || typeof value === 'string' ? (value as string | undefined) : value.join(',');
}

export const numberOfShards = (index: IndexMetadata) => Number(indexSetting(index, 'index.number_of_shards') ?? 1);
export const numberOfReplicas = (index: IndexMetadata) => Number(indexSetting(index, 'index.number_of_replicas') ?? 1);
export const isHidden = (index: IndexMetadata) => indexSetting(index, 'index.hidden') === 'true';
export const creationDate = (index: IndexMetadata) => Number(indexSetting(index, 'index.creation_date'));

/** How long replicas of a lost node stay unassigned ("Delaying allocation when a node leaves"). */
export function delayedTimeoutMs(index: IndexMetadata): number {
  return parseTimeMs(indexSetting(index, 'index.unassigned.node_left.delayed_timeout') ?? '1m') ?? 60_000;
}

/** A copy of the index with its version raised. */
export function changeIndex(index: IndexMetadata, change: Partial<IndexMetadata>): IndexMetadata {
  return { ...index, ...change, version: index.version + 1 };
}

/** `auto_expand_replicas` as bounds, or undefined when it is off. */
export function autoExpandBounds(index: IndexMetadata): { least: number; most: number } | undefined {
  const text = indexSetting(index, 'index.auto_expand_replicas') ?? 'false';
  const match = /^(\d+)-(\d+|all)$/.exec(text);
  if (match === null) return undefined;
  return { least: Number(match[1]), most: match[2] === 'all' ? Number.MAX_SAFE_INTEGER : Number(match[2]) };
}
