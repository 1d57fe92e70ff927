import { illegalArgument, indexNotFound } from '../errors.ts';
import { features } from '../indices/features.ts';
import { backingPrefix, type DataStream } from '../state/data-stream.ts';
import { wildcardToRegExp } from '../values/filter-path.ts';
import type { IndexSnapshot, SnapshotInfo } from './repository-data.ts';
import { snapshotError } from './snapshot-service.ts';

/** The members of a restore request. */
export interface RestoreWish {
  readonly repository: string;
  readonly snapshot: SnapshotInfo;
  /** Names and patterns of indices and data streams; none means all. */
  readonly indices: readonly string[];
  readonly ignoreUnavailable: boolean;
  readonly featureStates: readonly string[];
  readonly includeGlobalState: boolean;
  readonly renamePattern?: string;
  readonly renameReplacement?: string;
}

export interface ChosenRestore {
  readonly indices: readonly { readonly index: IndexSnapshot; readonly name: string }[];
  readonly dataStreams: readonly DataStream[];
  readonly features: readonly string[];
}

/** Chooses what to restore from a snapshot and under which names ("Restore a snapshot"). */
export function chooseRestore(wish: RestoreWish): ChosenRestore {
  const { snapshot } = wish;
  const chosenFeatures = chooseFeatures(wish);
  const system = new Set(snapshot.featureStates.flatMap(({ indices }) => indices));
  const streams = snapshot.dataStreams.filter(({ name }) => filterNames([name], wish.indices, true).length > 0);
  const streamNames = new Set(streams.map(({ name }) => name));
  const named = wish.indices.filter((name) => !streamNames.has(name));
  const explicit = named.filter((name) => system.has(name));
  if (explicit.length > 0)
    throw illegalArgument(
      `requested system indices [${explicit.join(', ')}], but system indices can only be restored as part of a feature state`,
    );
  const backing = new Set(streams.flatMap(({ indices }) => indices));
  const available = snapshot.indices.filter(({ name }) => !system.has(name)).map(({ name }) => name);
  // Only streams were named: no other index is meant.
  const wanted =
    wish.indices.length > 0 && named.length === 0 ? [] : filterNames(available, named, wish.ignoreUnavailable);
  const ofFeatures = snapshot.featureStates
    .filter(({ feature }) => chosenFeatures.includes(feature))
    .flatMap(({ indices }) => indices);
  const all = new Set([...wanted, ...backing, ...ofFeatures]);
  const rename = renaming(wish);
  return {
    indices: rename.all(
      snapshot.indices.filter(({ name }) => all.has(name)),
      (name) => (system.has(name) ? name : rename.index(name, backing.has(name))),
    ),
    dataStreams: streams.map((stream) => ({
      ...stream,
      name: rename.text(stream.name),
      indices: stream.indices.map((name) => rename.index(name, true)),
    })),
    features: chosenFeatures,
  };
}

/** Without a list: all with the global state, none otherwise. `none` stands for none. */
function chooseFeatures({ repository, snapshot, featureStates, includeGlobalState }: RestoreWish): string[] {
  const refuse = (why: string) =>
    snapshotError('snapshot_restore_exception', `[${repository}:${snapshot.name}/${snapshot.uuid}] ${why}`);
  const present = snapshot.featureStates.map(({ feature }) => feature);
  if (featureStates.length === 0) return includeGlobalState ? present : [];
  if (featureStates.length === 1 && featureStates[0]!.toLowerCase() === 'none') return [];
  if (featureStates.includes('none'))
    throw refuse(
      `the feature_states value [none] indicates that no feature states should be restored, but other feature states were requested: [${featureStates.join(', ')}]`,
    );
  const missing = featureStates.filter((name) => !present.includes(name));
  if (missing.length > 0)
    throw refuse(`requested feature states [[${missing.join(', ')}]] are not present in snapshot`);
  const unknown = featureStates.filter((name) => !features.some((feature) => feature.name === name));
  if (unknown.length > 0)
    throw refuse(
      `requested feature states [${unknown.join(', ')}] are present in snapshot but those features are not installed on the current master node`,
    );
  return [...featureStates];
}

/** Names that a list of names and patterns means; a list that begins with an exclusion begins with everything. */
function filterNames(available: readonly string[], patterns: readonly string[], ignoreUnavailable: boolean): string[] {
  if (patterns.length === 0 || patterns.includes('_all')) return [...available];
  const chosen = new Set<string>(patterns[0]!.startsWith('-') ? available : []);
  for (const pattern of patterns) {
    const excluded = pattern.startsWith('-');
    const regExp = wildcardToRegExp(excluded ? pattern.slice(1) : pattern);
    const found = available.filter((name) => regExp.test(name));
    if (found.length === 0 && !excluded && !pattern.includes('*') && !ignoreUnavailable)
      throw indexNotFound(pattern, false);
    for (const name of found) excluded ? chosen.delete(name) : chosen.add(name);
  }
  return available.filter((name) => chosen.has(name));
}

/** A backing index keeps the prefix of its kind: only the rest of its name is renamed. */
function renaming({ repository, snapshot, renamePattern, renameReplacement }: RestoreWish) {
  const text = (name: string) =>
    renamePattern === undefined || renameReplacement === undefined
      ? name
      : name.replace(new RegExp(renamePattern, 'g'), renameReplacement);
  const index = (name: string, isBacking: boolean) =>
    isBacking && name.startsWith(backingPrefix)
      ? `${backingPrefix}${text(name.slice(backingPrefix.length))}`
      : text(name);
  const all = (indices: readonly IndexSnapshot[], nameOf: (name: string) => string) => {
    const taken = new Map<string, string>();
    return indices.map((one) => {
      const name = nameOf(one.name);
      const other = taken.get(name);
      if (other !== undefined)
        throw snapshotError(
          'snapshot_restore_exception',
          `[${repository}:${snapshot.name}] indices [${one.name}] and [${other}] are renamed into the same index [${name}]`,
        );
      taken.set(name, one.name);
      return { index: one, name };
    });
  };
  return { text, index, all };
}
