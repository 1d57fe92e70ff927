import { illegalArgument } from '../errors.ts';
import { featureOf, features } from '../indices/features.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import { type DataStream, dataStreams } from '../state/data-stream.ts';
import type { IndexMetadata } from '../state/index-metadata.ts';
import { wildcardToRegExp } from '../values/filter-path.ts';

/** A snapshot's content as a request or a policy describes it. */
export interface ContentWish {
  /** Indices that the names mean, those of data streams too. */
  readonly indices: readonly IndexMetadata[];
  /** Names and patterns; none means everything. */
  readonly named: readonly string[];
  readonly featureStates: readonly string[];
  readonly includeGlobalState: boolean;
}

export interface SnapshotContent {
  readonly indices: readonly IndexMetadata[];
  readonly dataStreams: readonly DataStream[];
  readonly features: readonly string[];
}

/** Features bring all of their indices, also when the request names other indices ("Create a snapshot"). */
export function snapshotContent(state: ClusterState, wish: ContentWish): SnapshotContent {
  const present = features
    .map(({ name }) => name)
    .filter((name) => [...state.indices.values()].some((index) => featureOf(index.name) === name));
  const chosen = chosenFeatures(wish, present);
  const names = new Set(wish.indices.map(({ name }) => name));
  const indices = [...state.indices.values()].filter(
    ({ name }) => names.has(name) || chosen.includes(featureOf(name) ?? ''),
  );
  const streams = [...dataStreams(state).values()].filter(
    ({ name }) => wish.named.length === 0 || wish.named.some((pattern) => wildcardToRegExp(pattern).test(name)),
  );
  // A stream is captured with the backing indices that are in the snapshot.
  return {
    indices,
    dataStreams: streams
      .map((stream) => ({ ...stream, indices: stream.indices.filter((name) => names.has(name)) }))
      .filter((stream) => stream.indices.length > 0),
    features: chosen,
  };
}

function chosenFeatures({ featureStates, includeGlobalState }: ContentWish, present: readonly string[]): string[] {
  if (featureStates.length === 0) return includeGlobalState ? [...present] : [];
  if (featureStates.length === 1 && featureStates[0]!.toLowerCase() === 'none') return [];
  if (featureStates.includes('none'))
    throw illegalArgument(
      `the feature_states value [none] indicates that no feature states should be snapshotted, but other feature states were requested: [${featureStates.join(', ')}]`,
    );
  return present.filter((name) => featureStates.includes(name));
}
