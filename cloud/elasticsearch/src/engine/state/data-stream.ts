import { type ClusterState, withEntry, withoutEntry } from './cluster-state.ts';

/** A name for a series of hidden indices, of which the last is written to ("Data streams"). */
export interface DataStream {
  readonly name: string;
  /** Number of the newest backing index. */
  readonly generation: number;
  /** Backing indices by name, oldest first. */
  readonly indices: readonly string[];
  readonly hidden: boolean;
}

/** The prefix of backing indices' names. */
export const backingPrefix = '.ds-';

const none: ReadonlyMap<string, DataStream> = new Map();

export const dataStreams = (state: Pick<ClusterState, 'customs'>): ReadonlyMap<string, DataStream> =>
  (state.customs.dataStreams as ReadonlyMap<string, DataStream> | undefined) ?? none;

const withStreams = (state: ClusterState, streams: ReadonlyMap<string, DataStream>): ClusterState => ({
  ...state,
  customs: { ...state.customs, dataStreams: streams },
});

export const withDataStream = (state: ClusterState, stream: DataStream): ClusterState =>
  withStreams(state, withEntry(dataStreams(state), stream.name, stream));

export const withoutDataStream = (state: ClusterState, name: string): ClusterState =>
  withStreams(state, withoutEntry(dataStreams(state), name));

/** The data stream that an index backs. */
export function streamOf(state: Pick<ClusterState, 'customs'>, index: string): DataStream | undefined {
  for (const stream of dataStreams(state).values()) if (stream.indices.includes(index)) return stream;
  return undefined;
}

/** The state without an index; a data stream that it backs goes on without it. */
export function withoutIndex(
  state: ClusterState,
  index: { readonly name: string; readonly uuid: string },
  atMs: number,
): ClusterState {
  const stream = streamOf(state, index.name);
  const removed = {
    ...state,
    indices: withoutEntry(state.indices, index.name),
    routing: withoutEntry(state.routing, index.name),
    tombstones: [...state.tombstones, { index: index.name, uuid: index.uuid, atMs }].slice(-500),
  };
  if (stream === undefined) return removed;
  return withDataStream(removed, { ...stream, indices: stream.indices.filter((name) => name !== index.name) });
}
