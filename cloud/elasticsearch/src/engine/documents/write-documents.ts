import type { Document } from '@drover/formats';
import { type ClusterAccess, localState, waitForMaster } from '../coordination/cluster-access.ts';
import type { MasterServices } from '../coordination/master-services.ts';
import type { SearchNode } from '../coordination/search-node.ts';
import { ElasticsearchError, illegalArgument, indexNotFound } from '../errors.ts';
import { refuseByCluster, refuseByIndices } from '../indices/blocks.ts';
import { createDataStream } from '../indices/create-data-stream.ts';
import { activeShardCount, createIndex, mayAutoCreate } from '../indices/create-index.ts';
import { aliasTargets, indexClosed } from '../indices/index-expressions.ts';
import { dynamicFields, mergeMappings } from '../indices/mappings.ts';
import { matchingTemplates } from '../indices/templates.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import { dataStreams, streamOf } from '../state/data-stream.ts';
import {
  changeIndex,
  type IndexMetadata,
  indexSetting,
  numberOfReplicas,
  numberOfShards,
} from '../state/index-metadata.ts';
import { majorOf } from '../state/versions.ts';
import { resolveDateMath } from '../values/date-math.ts';
import { formatTime } from '../values/units.ts';
import { checkFieldValues } from './field-values.ts';
import { applyOperation, type Operation, type OperationResult } from './operations.ts';
import { writeToShard } from './replicate.ts';
import { shardOf } from './routing-hash.ts';

export interface Written extends OperationResult {
  readonly id: string;
  readonly index: IndexMetadata;
  readonly shards: { readonly total: number; readonly successful: number };
  readonly forcedRefresh: boolean;
}

/** Operations on one node, with the options of the request that carries them. */
export interface DocumentWrite {
  readonly cluster: ClusterAccess;
  readonly node: SearchNode;
  readonly timeoutMs: number;
  /** `true`, `false` or `wait_for` */
  readonly refresh: string | undefined;
  readonly waitForActiveShards: string | undefined;
  /** Takes deprecation warnings. */
  warn(text: string): void;
}

export type ItemOutcome = Written | ElasticsearchError;

interface Planned {
  readonly at: number;
  readonly operation: Operation;
}

/** Carries out operations, shard by shard; each has an outcome of its own. */
export async function writeDocuments(
  write: DocumentWrite,
  operations: readonly (Operation | ElasticsearchError)[],
): Promise<ItemOutcome[]> {
  refuseByCluster(localState(write.node), 'write');
  const outcomes: ItemOutcome[] = new Array(operations.length);
  const groups = new Map<string, Planned[]>();
  refuseNoAlias(write, operations, outcomes);
  const services = await prepareIndices(write, operations, outcomes);
  operations.forEach((operation, at) => {
    if (operation instanceof ElasticsearchError || outcomes[at] !== undefined) {
      outcomes[at] ??= operation as ElasticsearchError;
      return;
    }
    const placed = attempt(() => place(write, services, operation));
    if (placed instanceof ElasticsearchError) outcomes[at] = placed;
    else pushTo(groups, `${placed.index}/${placed.shard}`, { at, operation: { ...operation, index: placed.index } });
  });
  await Promise.all([...groups].map(([key, planned]) => writeGroup(write, key, planned, outcomes)));
  return outcomes;
}

/** `require_alias`: nothing is written, and no index made, unless the name is an alias. */
function refuseNoAlias(
  write: DocumentWrite,
  operations: readonly (Operation | ElasticsearchError)[],
  outcomes: ItemOutcome[],
): void {
  operations.forEach((operation, at) => {
    if (operation instanceof ElasticsearchError || operation.requireAlias !== true) return;
    const { index } = operation;
    if (aliasTargets(localState(write.node), index).length > 0) return;
    outcomes[at] = new ElasticsearchError({
      type: 'index_not_found_exception',
      reason: `no such index [${index}] and [require_alias] request flag is [true] and [${index}] is not an alias`,
      details: { index_uuid: '_na_', index },
    });
  });
}

/** Makes missing indices and brings mappings up to date before anything is written. */
async function prepareIndices(
  write: DocumentWrite,
  operations: readonly (Operation | ElasticsearchError)[],
  outcomes: ItemOutcome[],
): Promise<MasterServices | undefined> {
  const state = localState(write.node);
  const missing = new Set<string>();
  for (const [at, operation] of operations.entries())
    if (
      outcomes[at] === undefined &&
      !(operation instanceof ElasticsearchError) &&
      operation.kind !== 'delete' &&
      !exists(state, dateMath(operation.index, nowOf(write)))
    )
      missing.add(dateMath(operation.index, nowOf(write)));
  if (missing.size === 0 && write.node.view()?.masterId !== undefined) return write.cluster.servicesOf(write.node);
  const services = await masterForWrite(write, missing.size > 0);
  for (const name of missing) {
    const refusal = attempt(() => autoCreate(write, services, name));
    if (!(refusal instanceof ElasticsearchError)) continue;
    operations.forEach((operation, at) => {
      if (!(operation instanceof ElasticsearchError) && dateMath(operation.index, nowOf(write)) === name)
        outcomes[at] ??= refusal;
    });
  }
  return services;
}

/** Without a master nothing is written (`cluster.no_master_block: write`); a new index needs one in any case. */
async function masterForWrite(write: DocumentWrite, creating: boolean): Promise<MasterServices> {
  try {
    return await waitForMaster(write.cluster, write.node, write.timeoutMs);
  } catch (error) {
    if (creating || !(error instanceof ElasticsearchError) || error.failure.type !== 'master_not_discovered_exception')
      throw error;
    throw new ElasticsearchError({
      type: 'cluster_block_exception',
      reason: 'blocked by: [SERVICE_UNAVAILABLE/2/no master];',
    });
  }
}

const nowOf = ({ cluster }: DocumentWrite) => cluster.engine.clock.now();
const dateMath = (name: string, nowMs: number) =>
  name.startsWith('<') && name.endsWith('>') ? resolveDateMath(name, nowMs) : name;
const exists = (state: ClusterState, name: string) =>
  state.indices.has(name) || dataStreams(state).has(name) || aliasTargets(state, name).length > 0;

function autoCreate(write: DocumentWrite, services: MasterServices, name: string): void {
  if (exists(services.core.state, name)) return;
  if (!mayAutoCreate(services.core.settings, name)) throw indexNotFound(name);
  const request = { name, settings: {}, mappings: undefined, aliases: new Map() };
  const creation = {
    nowMs: nowOf(write),
    uuid: services.core.newId(),
    version: write.cluster.version,
    settings: services.core.settings,
    warn: (text: string) => write.warn(text),
  };
  const isStream = matchingTemplates(services.core.state, name, write.cluster.version).dataStream !== undefined;
  services.core.update((state) =>
    services.allocation.reroute(
      isStream ? createDataStream(state, name, creation) : createIndex(state, request, creation),
    ),
  );
}

function place(
  write: DocumentWrite,
  services: MasterServices | undefined,
  operation: Operation,
): { index: string; shard: number } {
  const state = services?.core.state ?? localState(write.node);
  const name = dateMath(operation.index, nowOf(write));
  if (dataStreams(state).has(name)) refuseInStream(operation, majorOf(write.cluster.version));
  refuseInBackingIndex(state, name, operation);
  const index = writeTarget(state, name);
  refuseByIndices(state, 'write', [index], write.cluster.version);
  if (operation.source !== undefined) adoptFields(write, services, index, operation.source, operation.id);
  return { index: index.name, shard: shardOf(operation.routing ?? operation.id, numberOfShards(index)) };
}

function writeTarget(state: ClusterState, name: string): IndexMetadata {
  const index = state.indices.get(dataStreams(state).get(name)?.indices.at(-1) ?? name);
  const targets = index === undefined ? aliasTargets(state, name) : [index];
  if (targets.length === 0) throw indexNotFound(name);
  const writable =
    targets.length === 1 ? targets : targets.filter((target) => target.aliases.get(name)?.is_write_index === true);
  if (writable.length !== 1)
    throw illegalArgument(
      `no write index is defined for alias [${name}]. The write index may be explicitly disabled using is_write_index=false or the alias points to multiple indices without one being designated as a write index`,
    );
  if (writable[0]!.state === 'close') throw indexClosed(writable[0]!);
  return writable[0]!;
}

/** A data stream only takes new documents, each with its time. */
function refuseInStream({ kind, source }: Operation, major: number): void {
  if (kind !== 'create') throw illegalArgument('only write ops with an op_type of create are allowed in data streams');
  if (source?.['@timestamp'] !== undefined && source['@timestamp'] !== null) return;
  throw new ElasticsearchError({
    type: major >= 8 ? 'document_parsing_exception' : 'mapper_parsing_exception',
    reason: major >= 8 ? '[1:2] failed to parse' : 'failed to parse',
    causedBy: { type: 'illegal_argument_exception', reason: 'data stream timestamp field [@timestamp] is missing' },
  });
}

/** New documents come through the stream; updates with a condition are not modelled. */
function refuseInBackingIndex(state: ClusterState, name: string, { kind }: Operation): void {
  if (kind === 'delete') return;
  const stream = streamOf(state, name);
  if (stream === undefined) return;
  const what = kind === 'create' ? '' : ' and no if_primary_term and if_seq_no set';
  throw illegalArgument(
    `index request with op_type=${kind}${what} targeting backing indices is disallowed, target corresponding data stream [${stream.name}] instead`,
  );
}

/** Fields that the mapping does not know yet are added by the master first. */
function adoptFields(
  write: DocumentWrite,
  services: MasterServices | undefined,
  index: IndexMetadata,
  source: Document,
  id: string,
): void {
  checkFieldValues(index.mappings, source, id, majorOf(write.cluster.version));
  const added = dynamicFields(index.mappings, source);
  if (added === undefined || services === undefined) return;
  if (!services.core.canCommit) return;
  services.core.update((state) => {
    const current = state.indices.get(index.name)!;
    const changed = changeIndex(current, {
      mappings: mergeMappings(current.mappings, added),
      mappingVersion: current.mappingVersion + 1,
    });
    return { ...state, indices: new Map(state.indices).set(index.name, changed) };
  });
}

async function writeGroup(
  write: DocumentWrite,
  key: string,
  planned: readonly Planned[],
  outcomes: ItemOutcome[],
): Promise<void> {
  const [name, shard] = [key.slice(0, key.lastIndexOf('/')), Number(key.slice(key.lastIndexOf('/') + 1))];
  const index = (write.cluster.servicesOf(write.node)?.core.state ?? localState(write.node)).indices.get(name)!;
  const { timeoutMs, refresh } = write;
  const needed = write.waitForActiveShards ?? indexSetting(index, 'index.write.wait_for_active_shards');
  const outcome = await writeToShard(write.cluster, write.node, {
    index: name,
    shard,
    timeoutMs,
    activeCopies: activeShardCount(needed, numberOfReplicas(index) + 1),
    act: (store, term) => {
      const results = planned.map(({ operation }) =>
        attempt(() => applyOperation(store, term, operation, index, shard, nowOf(write))),
      );
      store.bulkOps += 1;
      store.failedOps += results.filter((result) => result instanceof ElasticsearchError).length;
      if (refresh === '' || refresh === 'true') store.refresh();
      return { results, store };
    },
  });
  if (!outcome.done) {
    const error = unavailable(name, shard, outcome.reason, timeoutMs, planned);
    for (const { at } of planned) outcomes[at] = error;
    return;
  }
  if (refresh === 'wait_for') {
    await write.cluster.engine.clock.sleep(refreshIntervalMs(index));
    outcome.result.store.refresh();
  }
  planned.forEach(({ at, operation }, position) => {
    const result = outcome.result.results[position]!;
    const shards = { total: outcome.total, successful: outcome.copies };
    outcomes[at] =
      result instanceof ElasticsearchError
        ? result
        : { ...result, id: operation.id, index, shards, forcedRefresh: refresh === '' || refresh === 'true' };
  });
}

/** How long a written document stays invisible to searches (`index.refresh_interval`). */
export function refreshIntervalMs(index: IndexMetadata): number {
  const text = indexSetting(index, 'index.refresh_interval') ?? '1s';
  const match = /^(-?\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text);
  if (match === null) return 1000;
  return Number(match[1]) * (match[2] === 'ms' ? 1 : match[2] === 'm' ? 60_000 : match[2] === 's' ? 1000 : 1);
}

const plainNumbers = (_name: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value);

function unavailable(
  index: string,
  shard: number,
  reason: string,
  timeoutMs: number,
  planned: readonly Planned[],
): ElasticsearchError {
  const { kind, index: name, id, source } = planned[0]!.operation;
  const content = source === undefined ? '' : `, source[${JSON.stringify(source, plainNumbers)}]`;
  const item = `${kind} {[${name}][${id}]${content}}`;
  return new ElasticsearchError({
    type: 'unavailable_shards_exception',
    reason: `[${index}][${shard}] ${reason} Timeout: [${formatTime(timeoutMs)}], request: [BulkShardRequest [[${index}][${shard}]] containing [${planned.length === 1 ? item : `${planned.length}] requests`}]]`,
  });
}

function attempt<T>(act: () => T): T | ElasticsearchError {
  try {
    return act();
  } catch (error) {
    if (error instanceof ElasticsearchError) return error;
    throw error;
  }
}

function pushTo<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
