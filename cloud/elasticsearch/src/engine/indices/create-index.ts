import type { Document } from '@drover/formats';
import { referencePage } from '../allocation/decision.ts';
import { newReplica } from '../allocation/replica-counts.ts';
import type { FlatSettings, SettingsView, SettingValue } from '../coordination/settings.ts';
import { ElasticsearchError, illegalArgument, parseError, validationFailed } from '../errors.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import { backingPrefix } from '../state/data-stream.ts';
import { type AliasMetadata, autoExpandBounds, type IndexMetadata } from '../state/index-metadata.ts';
import { isDataNode } from '../state/node-info.ts';
import type { RecoverySource, ShardRouting, UnassignedReason } from '../state/shard.ts';
import { atLeast, indexVersionId } from '../state/versions.ts';
import { wildcardToRegExp } from '../values/filter-path.ts';
import { flattenSettings } from '../values/flat-settings.ts';
import { isDocument } from '../values/value.ts';
import { featureOf } from './features.ts';
import { aliasTargets } from './index-expressions.ts';
import { refuseIndexName } from './index-name.ts';
import { normalizeIndexSettings, refuseIndexSettings } from './index-settings.ts';
import { type MappingInput, mergeMappings, readMappings } from './mappings.ts';
import { readAliases, refuseIndexNames, refuseTwoWriters } from './read-aliases.ts';
import { matchingTemplates } from './templates.ts';

export interface IndexRequest {
  readonly name: string;
  readonly settings: Readonly<Record<string, SettingValue | null>>;
  readonly mappings: MappingInput | undefined;
  readonly aliases: ReadonlyMap<string, AliasMetadata>;
  /** The data stream that the index is made for: templates are those of its name. */
  readonly dataStream?: string;
}

/** Reads the body of a create index request. */
export function readIndexRequest(name: string, body: Document, includeTypeName: boolean, major: number): IndexRequest {
  const unknown = Object.keys(body).find((key) => !['settings', 'mappings', 'aliases'].includes(key));
  if (unknown !== undefined) throw parseError(`unknown key [${unknown}] for create index`);
  return {
    name,
    settings: normalizeIndexSettings(flattenSettings(isDocument(body.settings) ? body.settings : {})),
    mappings: isDocument(body.mappings) ? readMappings(body.mappings, includeTypeName, major) : undefined,
    aliases: readAliases(isDocument(body.aliases) ? body.aliases : {}),
  };
}

export interface Creation {
  readonly nowMs: number;
  readonly uuid: string;
  readonly version: string;
  readonly settings: SettingsView;
  readonly warn: (text: string) => void;
}

/** Adds an index with unassigned shards to the state. */
export function createIndex(state: ClusterState, request: IndexRequest, creation: Creation): ClusterState {
  const refusal =
    refuseIndexName(request.name) ?? refuseExisting(state, request.name) ?? refuseIndexSettings(request.settings);
  if (refusal !== undefined) throw refusal;
  const applied = withTemplates(state, request, creation);
  refuseIndexNames(state, applied.aliases.keys());
  if (applied.aliases.has(request.name))
    throw illegalArgument(`alias name [${request.name}] self-conflicts with index name`);
  const settings = finalSettings(state, applied.settings, request.name, creation);
  refuseTooManyShards(state, shardCount(settings), creation.settings, creation.version);
  const index: IndexMetadata = {
    name: request.name,
    uuid: creation.uuid,
    state: 'open',
    settings,
    mappings: applied.mappings?.mapping ?? {},
    mappingType: applied.mappings?.type ?? '_doc',
    aliases: applied.aliases,
    ...emptyShards(Number(settings['index.number_of_shards'])),
    version: 1,
    mappingVersion: 1,
    settingsVersion: 1,
    aliasesVersion: 1,
    ...(featureOf(request.name) === undefined ? {} : { system: true }),
  };
  const created = placeIndex(state, index, 'INDEX_CREATED', () => ({ type: 'EMPTY_STORE' }), creation.nowMs);
  refuseTwoWriters(created, index.aliases.keys());
  return created;
}

export const emptyShards = (count: number) => ({
  inSync: Array.from({ length: count }, () => [] as string[]),
  primaryTerms: Array.from({ length: count }, () => 1),
});

/** Puts an index into the state with all of its copies unassigned. */
export function placeIndex(
  state: ClusterState,
  index: IndexMetadata,
  reason: UnassignedReason,
  source: (shard: number) => RecoverySource,
  nowMs: number,
): ClusterState {
  const shards = Number(index.settings['index.number_of_shards']);
  const replicas = Number(index.settings['index.number_of_replicas']);
  const routing = Array.from({ length: shards }, (_, shard): ShardRouting[] => {
    const replica = newReplica(index, shard, reason, nowMs);
    const primary: ShardRouting = { ...replica, primary: true, recoverySource: source(shard) };
    return [primary, ...Array.from({ length: replicas }, () => replica)];
  });
  return {
    ...state,
    indices: new Map(state.indices).set(index.name, index),
    routing: new Map(state.routing).set(index.name, routing),
  };
}

function refuseExisting(state: ClusterState, name: string): ElasticsearchError | undefined {
  const existing = state.indices.get(name);
  if (existing !== undefined)
    return new ElasticsearchError({
      type: 'resource_already_exists_exception',
      reason: `index [${name}/${existing.uuid}] already exists`,
      details: { index_uuid: existing.uuid, index: name },
    });
  if (aliasTargets(state, name).length > 0)
    return new ElasticsearchError({
      type: 'invalid_index_name_exception',
      reason: `Invalid index name [${name}], already exists as alias`,
      details: { index_uuid: '_na_', index: name },
    });
  return undefined;
}

function withTemplates(state: ClusterState, request: IndexRequest, { version, warn }: Creation): IndexRequest {
  const templates = matchingTemplates(state, request.dataStream ?? request.name, version);
  if (templates.dataStream !== undefined && request.dataStream === undefined)
    throw illegalArgument(
      `cannot create index with name [${request.name}], because it matches with template [${templates.names[0]}] that creates data streams only, use create data stream api instead`,
    );
  if (templates.names.length > 1 && !templates.composable)
    warn(
      `index [${request.name}] matches multiple legacy templates [${templates.names.join(', ')}], composable templates will only match a single template`,
    );
  const mappings = [...templates.mappings, ...(request.mappings === undefined ? [] : [request.mappings])];
  const type =
    request.mappings?.type !== undefined && request.mappings.type !== '_doc'
      ? request.mappings.type
      : (request.mappings?.type ?? templates.mappings.at(-1)?.type);
  return {
    name: request.name,
    settings: { ...templates.settings, ...request.settings },
    mappings:
      mappings.length === 0
        ? undefined
        : { type: type ?? '_doc', mapping: mappings.map(({ mapping }) => mapping).reduce(mergeMappings) },
    aliases: new Map([...templates.aliases, ...request.aliases]),
  };
}

function finalSettings(
  state: ClusterState,
  wanted: Readonly<Record<string, SettingValue | null>>,
  name: string,
  { nowMs, uuid, version, settings, warn }: Creation,
): FlatSettings {
  const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== null)) as Record<
    string,
    SettingValue
  >;
  if (given['index.soft_deletes.enabled'] === 'false') {
    if (atLeast(version, '8.0.0'))
      throw illegalArgument(
        'Creating indices with soft-deletes disabled is no longer supported. Please do not specify a value for setting [index.soft_deletes.enabled].',
      );
    warn(
      `Creating indices with soft-deletes disabled is deprecated and will be removed in future Elasticsearch versions. Please do not specify value for setting [index.soft_deletes.enabled] of index [${name}].`,
    );
  }
  const tier: FlatSettings =
    atLeast(version, '7.13.0') && settings.boolean('cluster.routing.allocation.enforce_default_tier_preference')
      ? {
          'index.routing.allocation.include._tier_preference': name.startsWith(backingPrefix)
            ? 'data_hot'
            : 'data_content',
        }
      : {};
  if (name.startsWith('.') && given['index.hidden'] !== 'true')
    warn(
      `index name [${name}] starts with a dot '.', in the next major version, index names starting with a dot are reserved for hidden indices and system indices`,
    );
  const replicas = initialReplicas(state, given);
  return {
    ...tier,
    ...given,
    'index.number_of_shards': given['index.number_of_shards'] ?? '1',
    'index.provided_name': name,
    'index.creation_date': String(nowMs),
    'index.number_of_replicas': replicas,
    'index.uuid': uuid,
    'index.version.created': String(indexVersionId(version)),
  };
}

function initialReplicas(state: ClusterState, given: Readonly<Record<string, SettingValue>>): string {
  const bounds = autoExpandBounds({ settings: given } as IndexMetadata);
  if (bounds === undefined) return String(given['index.number_of_replicas'] ?? '1');
  const dataNodes = [...state.nodes.values()].filter(isDataNode).length;
  return String(Math.max(bounds.least, Math.min(bounds.most, dataNodes - 1)));
}

export const shardCount = (settings: FlatSettings) =>
  Number(settings['index.number_of_shards']) * (1 + Number(settings['index.number_of_replicas']));

/** `cluster.max_shards_per_node` ("Miscellaneous cluster settings: cluster shard limit"). */
export function refuseTooManyShards(state: ClusterState, added: number, view: SettingsView, version: string): void {
  const dataNodes = [...state.nodes.values()].filter(isDataNode).length;
  const limit = view.number('cluster.max_shards_per_node') * dataNodes;
  const open = [...state.indices.values()]
    .filter((index) => index.state === 'open')
    .reduce((total, index) => total + shardCount(index.settings), 0);
  if (added <= 0 || dataNodes === 0 || open + added <= limit) return;
  const page = referencePage(version, 'size-your-shards.html#troubleshooting-max-shards-open');
  throw validationFailed(
    [
      `this action would add [${added}] shards, but this cluster currently has [${open}]/[${limit}] maximum normal shards open; for more information, see ${page}`,
    ],
    'illegal_argument_exception',
  );
}

/** Whether writing to a missing index makes it (`action.auto_create_index`). */
export function mayAutoCreate(settings: SettingsView, name: string): boolean {
  const rule = settings.text('action.auto_create_index');
  if (rule === 'true' || rule === 'false') return rule === 'true';
  for (const part of rule.split(',')) {
    const pattern = part.trim().replace(/^[+-]/, '');
    if (wildcardToRegExp(pattern).test(name)) return !part.trim().startsWith('-');
  }
  return false;
}

/** How many copies must be active before a response. */
export function activeShardCount(text: string | undefined, copies: number): number {
  if (text === undefined) return 1;
  if (text === 'all') return copies;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0) throw illegalArgument(`cannot parse ActiveShardCount[${text}]`);
  return count;
}
