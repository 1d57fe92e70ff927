import type { BlockLevel } from '../../engine/indices/blocks.ts';
import table from './block-checks.json' with { type: 'json' };

type Levels = Readonly<Record<string, BlockLevel>>;

/** By API: the level at which a block of the whole cluster refuses it, and that of a block of the cluster or one of its indices. */
const { cluster, indices } = table as { readonly cluster: Levels; readonly indices: Levels };

/** The levels at which blocks refuse a request of this API, on the cluster and on its indices. */
export const blockChecks = (api: string) => ({ cluster: cluster[api], indices: indices[api] });
