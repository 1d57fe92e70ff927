import { referencePage } from '../allocation/decision.ts';
import { ElasticsearchError } from '../errors.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import { type IndexMetadata, indexSetting } from '../state/index-metadata.ts';
import { majorOf } from '../state/versions.ts';

/** The operations that a block forbids ("Index blocks"). */
export type BlockLevel = 'read' | 'write' | 'metadata_read' | 'metadata_write';

/** One block of the cluster or of an index. */
export interface Block {
  readonly id: number;
  readonly description: string;
  readonly status: 'FORBIDDEN' | 'TOO_MANY_REQUESTS';
  readonly levels: readonly BlockLevel[];
  /** Indices may be deleted all the same. */
  readonly allowsRelease?: boolean;
}

const readOnlyLevels: readonly BlockLevel[] = ['write', 'metadata_write'];

const clusterKinds: Readonly<Record<string, Block>> = {
  'cluster.blocks.read_only': {
    id: 6,
    description: 'cluster read-only (api)',
    status: 'FORBIDDEN',
    levels: readOnlyLevels,
  },
  'cluster.blocks.read_only_allow_delete': {
    id: 13,
    description: 'cluster read-only / allow delete (api)',
    status: 'FORBIDDEN',
    levels: readOnlyLevels,
    allowsRelease: true,
  },
};

const indexKinds: Readonly<Record<string, Block>> = {
  'index.blocks.read_only': {
    id: 5,
    description: 'index read-only (api)',
    status: 'FORBIDDEN',
    levels: readOnlyLevels,
  },
  'index.blocks.read': { id: 7, description: 'index read (api)', status: 'FORBIDDEN', levels: ['read'] },
  'index.blocks.write': { id: 8, description: 'index write (api)', status: 'FORBIDDEN', levels: ['write'] },
  'index.blocks.metadata': {
    id: 9,
    description: 'index metadata (api)',
    status: 'FORBIDDEN',
    levels: ['metadata_read', 'metadata_write'],
  },
};

/** Blocks that cluster settings put on everything. */
export function clusterBlocks({ transient, persistent }: ClusterState): Block[] {
  const on = (key: string) => (transient[key] ?? persistent[key]) === 'true';
  return Object.entries(clusterKinds).flatMap(([key, block]) => (on(key) ? [block] : []));
}

/** Blocks that settings put on one index. */
export function indexBlocks(index: IndexMetadata, version: string): Block[] {
  const on = (key: string) => indexSetting(index, key) === 'true';
  const blocks = Object.entries(indexKinds).flatMap(([key, block]) => (on(key) ? [block] : []));
  return on('index.blocks.read_only_allow_delete') ? [...blocks, floodBlock(version)] : blocks;
}

/** The block of a full disk. Since 8.0 it keeps documents out only, not changes of the index. */
function floodBlock(version: string): Block {
  const description = 'disk usage exceeded flood-stage watermark, index has read-only-allow-delete block';
  const page = `; for more information, see ${referencePage(version, 'fix-watermark-errors.html')}`;
  const modern = majorOf(version) >= 8;
  return {
    id: 12,
    description: modern ? description + page : description,
    status: 'TOO_MANY_REQUESTS',
    levels: modern ? ['write'] : readOnlyLevels,
    allowsRelease: true,
  };
}

/** Refuses what a block of the whole cluster forbids. */
export function refuseByCluster(state: ClusterState, level: BlockLevel): void {
  const blocks = clusterBlocks(state).filter(({ levels }) => levels.includes(level));
  if (blocks.length > 0) throw blocked(`blocked by: ${listed(blocks)}`);
}

/** Refuses what a block of the cluster or of one of these indices forbids; `releasing` for their deletion. */
export function refuseByIndices(
  state: ClusterState,
  level: BlockLevel,
  indices: readonly IndexMetadata[],
  version: string,
  releasing = false,
): void {
  const global = clusterBlocks(state);
  const counts = ({ levels, allowsRelease }: Block) => levels.includes(level) && !(releasing && allowsRelease === true);
  const texts = indices.flatMap((index) => {
    const blocks = [...global, ...indexBlocks(index, version)].filter(counts);
    return blocks.length === 0 ? [] : [`index [${index.name}] blocked by: ${listed(blocks)}`];
  });
  if (texts.length > 0) throw blocked(texts.join(''));
}

/** Refuses what a block of the whole cluster forbids for an index that does not exist yet. */
export function refuseNewIndex(state: ClusterState, name: string): void {
  const blocks = clusterBlocks(state).filter(({ levels }) => levels.includes('metadata_write'));
  if (blocks.length > 0) throw blocked(`index [${name}] blocked by: ${listed(blocks)}`);
}

const listed = (blocks: readonly Block[]) =>
  blocks.map(({ status, id, description }) => `[${status}/${id}/${description}];`).join('');

const blocked = (reason: string) => new ElasticsearchError({ type: 'cluster_block_exception', reason });
