import { type Refusal, refuse } from '@drover/core';
import { snapshotRepository } from '@drover/core/names/search-cluster';
import type { SnapshotContent } from '../../model/snapshot.ts';
import type { Renaming, RestorePlan } from '../../snapshot-ports.ts';

/** An operator's request for a restore. */
export interface RestoreWish {
  /** `*` stands for any text; several are separated by commas. Without one: everything whose name does not begin with a dot. */
  readonly pattern: string | undefined;
  readonly featureStates: readonly string[];
  readonly includeGlobalState: boolean;
  readonly rename: Renaming | undefined;
}

export interface RestoreFacts extends RestoreWish {
  readonly snapshot: SnapshotContent;
  readonly open: readonly string[];
}

/** Settings by which an index would look for nodes that may be gone. */
export const nodeFilters: readonly string[] = ['include', 'exclude', 'require'].flatMap((rule) =>
  ['_name', '_id', '_ip', '_host'].map((attribute) => `index.routing.allocation.${rule}.${attribute}`),
);

type RefusalName =
  | 'no-such-index'
  | 'index-is-open'
  | 'system-index'
  | 'backing-index'
  | 'no-such-feature'
  | 'no-global-state'
  | 'snapshot-not-usable'
  | 'index-incomplete'
  | 'bad-rename';

/** Which indices and data streams come back, or why not: a restore never touches an open index. */
export function planRestore(facts: RestoreFacts): RestorePlan | Refusal<RefusalName> {
  const { snapshot, featureStates, includeGlobalState, rename } = facts;
  const refusal = refuseSnapshot(facts) ?? refuseNames(facts);
  if (refusal !== undefined) return refusal;
  // A feature or the global state alone: no index is meant.
  const alone = facts.pattern === undefined && (featureStates.length > 0 || includeGlobalState);
  const chosen = alone ? none : chosenNames(snapshot, facts.pattern);
  if (!alone && chosen.indices.length + chosen.dataStreams.length === 0)
    return refuse(
      'no-such-index',
      `snapshot ${snapshot.name} holds no index that matches ${facts.pattern ?? '*,-.*'} (it holds ${shorten(snapshot.indices)})`,
    );
  const backing = snapshot.indices.filter((index) => chosen.dataStreams.includes(streamName(index) ?? ''));
  const data = [...chosen.indices, ...backing];
  const restored = data.map((index) => renamed(index, rename, backing.includes(index)));
  const clashes = data.filter((_index, at) => facts.open.includes(restored[at]!));
  if (clashes.length > 0)
    return refuse(
      'index-is-open',
      `${shorten(clashes)} exists and is open`,
      'restore beside it with --rename-prefix restored-, or close or delete it first',
    );
  const incomplete = data.filter((index) => snapshot.failedIndices.includes(index));
  if (incomplete.length > 0)
    return refuse(
      'index-incomplete',
      `snapshot ${snapshot.name} does not hold every shard of ${shorten(incomplete)}`,
      'take another snapshot, or leave them out with --index',
    );
  const features = snapshot.featureStates.filter(({ feature }) => featureStates.includes(feature));
  return {
    indices: [...chosen.dataStreams, ...chosen.indices],
    featureStates,
    includeGlobalState,
    rename,
    dataStreams: chosen.dataStreams.map((stream) => renamed(stream, rename)),
    restored: [...restored, ...features.flatMap(({ indices }) => indices)],
    ...(rename === undefined || features.length > 0 ? {} : { settings: beside }),
  };
}

/** A copy beside the live index takes no part in its aliases, of which only one index may be written to. */
const beside = { set: {}, ignore: nodeFilters, aliases: false };

const none: ReturnType<typeof chosenNames> = { indices: [], dataStreams: [] };

function refuseSnapshot({ snapshot, featureStates, includeGlobalState, rename }: RestoreFacts) {
  const { name, state } = snapshot;
  if (state !== 'SUCCESS' && state !== 'PARTIAL')
    return refuse('snapshot-not-usable', `snapshot ${name} is ${state}`, 'see others: cluster-cli snapshots list');
  if (includeGlobalState && !snapshot.includeGlobalState)
    return refuse(
      'no-global-state',
      `snapshot ${name} was taken without the global state`,
      'leave --include-global-state out, or take a snapshot that has it',
    );
  const known = snapshot.featureStates.map(({ feature }) => feature);
  const missing = featureStates.filter((feature) => !known.includes(feature));
  if (missing.length > 0)
    return refuse(
      'no-such-feature',
      `snapshot ${name} holds no feature ${missing.join(', ')} (it holds ${shorten(known)})`,
    );
  if (rename !== undefined && !isRegExp(rename.pattern))
    return refuse('bad-rename', `--rename-pattern ${rename.pattern} is no regular expression`);
  return undefined;
}

/** Names that Elasticsearch would refuse, or would restore as something that belongs nowhere. */
function refuseNames({ snapshot, pattern }: RestoreFacts) {
  const named = (pattern ?? '').split(',').filter((part) => snapshot.indices.includes(part));
  for (const index of named) {
    const feature = snapshot.featureStates.find(({ indices }) => indices.includes(index))?.feature;
    if (feature !== undefined)
      return refuse(
        'system-index',
        `${index} belongs to the feature ${feature} and comes back only with it`,
        `cluster-cli snapshots restore ${snapshotRepository} ${snapshot.name} --feature-states ${feature}`,
      );
    const stream = streamName(index);
    if (stream !== undefined && snapshot.dataStreams.includes(stream))
      return refuse(
        'backing-index',
        `${index} backs the data stream ${stream}: restored alone it would belong to none`,
        `restore the data stream: --index ${stream}`,
      );
  }
  return undefined;
}

function chosenNames(snapshot: SnapshotContent, pattern: string | undefined) {
  const system = new Set(snapshot.featureStates.flatMap(({ indices }) => indices));
  const free = snapshot.indices.filter(
    (index) => !system.has(index) && !snapshot.dataStreams.includes(streamName(index) ?? ''),
  );
  return {
    indices: free.filter((index) => isWanted(index, pattern)),
    dataStreams: snapshot.dataStreams.filter((stream) => isWanted(stream, pattern)),
  };
}

function isWanted(name: string, pattern: string | undefined): boolean {
  if (pattern === undefined) return !name.startsWith('.');
  return pattern.split(',').some((part) => new RegExp(`^${part.split('*').map(escapeText).join('.*')}$`).test(name));
}

/** The data stream that an index backs, by its name: also of a copy that lifecycle management has shrunk or mounted. */
export const streamName = (index: string): string | undefined =>
  /(?:^|-)\.ds-(.+)-\d{4}\.\d\d\.\d\d-\d{6,}$/.exec(index)?.[1];

/** The new name as Elasticsearch forms it; the prefix of a backing index stays before it. */
export function renamed(index: string, rename: Renaming | undefined, isBacking = false): string {
  if (rename === undefined) return index;
  const pattern = new RegExp(rename.pattern, 'g');
  if (isBacking && index.startsWith('.ds-')) return `.ds-${index.slice(4).replace(pattern, rename.replacement)}`;
  return index.replace(pattern, rename.replacement);
}

function isRegExp(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}

const escapeText = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** The first names of a list. */
export const shorten = (names: readonly string[]): string =>
  names.length <= 5 ? names.join(', ') || 'none' : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`;
