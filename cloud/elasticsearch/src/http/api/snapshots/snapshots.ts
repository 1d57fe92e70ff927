import type { Document } from '@drover/formats';
import type { MasterServices } from '../../../engine/coordination/master-services.ts';
import { illegalArgument } from '../../../engine/errors.ts';
import { normalizeIndexSettings } from '../../../engine/indices/index-settings.ts';
import { chooseRestore } from '../../../engine/snapshots/choose-restore.ts';
import type { SnapshotInfo } from '../../../engine/snapshots/repository-data.ts';
import { listOf, requestedIndices, snapshotFlag } from '../../../engine/snapshots/requested-indices.ts';
import { snapshotContent } from '../../../engine/snapshots/snapshot-content.ts';
import { snapshotError } from '../../../engine/snapshots/snapshot-service.ts';
import type { RepositoryMetadata } from '../../../engine/state/cluster-state.ts';
import { resolveDateMath } from '../../../engine/values/date-math.ts';
import { wildcardToRegExp } from '../../../engine/values/filter-path.ts';
import { flattenSettings } from '../../../engine/values/flat-settings.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { RestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { selectRepositories } from './repositories.ts';
import { snapshotBody } from './snapshot-body.ts';

export const snapshotRoutes: readonly Endpoint[] = [
  {
    api: 'snapshot.create',
    action: 'cluster:admin/snapshot/create',
    run: create,
  },
  {
    api: 'snapshot.get',
    action: 'cluster:admin/snapshot/get',
    without: ['after'],
    run: get,
  },
  {
    api: 'snapshot.delete',
    action: 'cluster:admin/snapshot/delete',
    run: remove,
  },
  {
    api: 'snapshot.restore',
    action: 'cluster:admin/snapshot/restore',
    run: restore,
  },
];

export const snapshotMissing = (repository: string, name: string) =>
  snapshotError('snapshot_missing_exception', `[${repository}:${name}] is missing`);

async function create(call: Call): Promise<Reply> {
  const services = await call.master();
  const repository = services.repositories.find(call.text('repository')!);
  const given = call.text('snapshot')!;
  const name = given.startsWith('<') && given.endsWith('>') ? resolveDateMath(given, call.now) : given;
  refuseName(repository.name, name);
  const running = await services.snapshots.create({
    repository,
    name,
    ...readSnapshotOptions(call, services, call.object()),
  });
  if (!call.flag('wait_for_completion')) return { body: { accepted: true } };
  return { body: { snapshot: snapshotBody(call, await running.finished, repository.name) } };
}

export function refuseName(repository: string, name: string): void {
  const refuse = (why: string) =>
    snapshotError('invalid_snapshot_name_exception', `[${repository}:${name}] Invalid snapshot name [${name}], ${why}`);
  if (name === '') throw refuse('cannot be empty');
  if (/\s/.test(name)) throw refuse('must not contain whitespace');
  if (name.includes(',')) throw refuse("must not contain ','");
  if (name.includes('#')) throw refuse("must not contain '#'");
  if (name.startsWith('_')) throw refuse("must not start with '_'");
  if (name.toLowerCase() !== name) throw refuse('must be lowercase');
  if (/[\\/*?"<>|]/.test(name))
    throw refuse("must not contain the following characters [' ','\"','*',',','/','<','>','?','\\','|']");
}

/** Reads a snapshot's content from a create request. */
function readSnapshotOptions(call: Call, services: MasterServices, body: Document) {
  refuseMalformed(body);
  const includeGlobalState = snapshotFlag(body, 'include_global_state', true);
  return {
    ...snapshotContent(services.core.state, {
      indices: requestedIndices(services.core.state, body, call.now),
      named: listOf(body.indices),
      featureStates: listOf(body.feature_states),
      includeGlobalState,
    }),
    partial: snapshotFlag(body, 'partial', false),
    includeGlobalState,
    ...(isDocument(body.metadata) ? { metadata: body.metadata as Record<string, unknown> } : {}),
  };
}

/** Snapshots of a repository, those that are being taken included. */
export async function snapshotsOf(services: MasterServices, repository: RepositoryMetadata): Promise<SnapshotInfo[]> {
  const { snapshots } = await services.repositories.data(repository).catch((error: unknown) => {
    throw new RestError(500, {
      type: 'repository_exception',
      reason: `[${repository.name}] could not read repository data`,
      causedBy: { type: 'i_o_exception', reason: error instanceof Error ? error.message : String(error) },
    });
  });
  return [
    ...snapshots,
    ...services.snapshots.running.filter((running) => running.repository === repository.name).map(({ info }) => info),
  ];
}

interface Found {
  readonly repository: string;
  readonly snapshot: SnapshotInfo;
}

async function get(call: Call): Promise<Reply> {
  const services = await call.master();
  const chosen = selectRepositories(services.core.state.repositories, call.list('repository'));
  const found: Found[] = [];
  for (const repository of chosen)
    for (const snapshot of await select(call, services, repository))
      found.push({ repository: repository.name, snapshot });
  const sorted = sort(call, found);
  const size = call.integer('size') ?? -1;
  const page = sorted.slice(0, size > 0 ? size : undefined);
  const remaining = sorted.length - page.length;
  const list = page.map(({ repository, snapshot }) => snapshotBody(call, snapshot, repository));
  if (!call.atLeast('7.12.0')) return { body: { snapshots: list } };
  const last = page.at(-1);
  const next =
    remaining > 0 && last !== undefined
      ? { next: Buffer.from(`${last.snapshot.startMs},${last.repository},${last.snapshot.name}`).toString('base64url') }
      : {};
  return { body: { snapshots: list, ...next, total: found.length, remaining } };
}

async function select(call: Call, services: MasterServices, repository: RepositoryMetadata): Promise<SnapshotInfo[]> {
  const names = call.list('snapshot');
  const all = await snapshotsOf(services, repository);
  if (names.includes('_current')) return all.filter(({ state }) => state === 'IN_PROGRESS');
  for (const name of names)
    if (
      name !== '_all' &&
      !name.includes('*') &&
      !name.startsWith('-') &&
      !all.some((snapshot) => snapshot.name === name) &&
      !call.flag('ignore_unavailable')
    )
      throw snapshotMissing(repository.name, name);
  const includes = names.filter((name) => !name.startsWith('-'));
  const excludes = names.filter((name) => name.startsWith('-')).map((name) => name.slice(1));
  const matches = (patterns: readonly string[], name: string) =>
    patterns.some((pattern) => pattern === '_all' || wildcardToRegExp(pattern).test(name));
  return all.filter(({ name }) => matches(includes, name) && !matches(excludes, name));
}

const sortKeys: Readonly<Record<string, (found: Found) => string | number>> = {
  start_time: ({ snapshot }) => snapshot.startMs,
  duration: ({ snapshot }) => snapshot.endMs - snapshot.startMs,
  name: ({ snapshot }) => snapshot.name,
  repository: ({ repository }) => repository,
  index_count: ({ snapshot }) => snapshot.indices.length,
  shard_count: ({ snapshot }) => snapshot.indices.reduce((count, { shards }) => count + shards.length, 0),
  failed_shard_count: ({ snapshot }) => snapshot.failures.length,
};

function sort(call: Call, found: readonly Found[]): Found[] {
  const key = call.text('sort') ?? (call.flag('verbose', true) ? 'start_time' : 'name');
  const value = sortKeys[key];
  if (value === undefined) throw illegalArgument(`unknown sort key [${key}]`);
  const order = call.text('order')?.toLowerCase() ?? 'asc';
  if (order !== 'asc' && order !== 'desc')
    throw illegalArgument(`No enum constant org.elasticsearch.search.sort.SortOrder.${order.toUpperCase()}`);
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
  const sorted = [...found].sort((a, b) => compare(value(a), value(b)) || compare(a.snapshot.name, b.snapshot.name));
  return order === 'desc' ? sorted.reverse() : sorted;
}

async function remove(call: Call): Promise<Reply> {
  const services = await call.master();
  const repository = services.repositories.find(call.text('repository')!);
  const all = await snapshotsOf(services, repository);
  const names = new Set<string>();
  for (const pattern of call.list('snapshot')) {
    const found = all.filter(({ name }) =>
      pattern.includes('*') ? wildcardToRegExp(pattern).test(name) : name === pattern,
    );
    if (found.length === 0 && !pattern.includes('*')) throw snapshotMissing(repository.name, pattern);
    for (const { name } of found) names.add(name);
  }
  await services.snapshots.delete(repository, [...names]);
  return { body: { acknowledged: true } };
}

const restoreFields = [
  'indices',
  'ignore_unavailable',
  'include_global_state',
  'include_aliases',
  'rename_pattern',
  'rename_replacement',
  'partial',
  'index_settings',
  'ignore_index_settings',
  'feature_states',
  'allow_no_indices',
  'expand_wildcards',
];

async function restore(call: Call): Promise<Reply> {
  const services = await call.master();
  const body = call.object();
  const unknown = Object.keys(body).find((key) => !restoreFields.includes(key));
  if (unknown !== undefined) throw illegalArgument(`Unknown parameter ${unknown}`);
  const repository = services.repositories.find(call.text('repository')!);
  const name = call.text('snapshot')!;
  const { snapshots } = await services.repositories.data(repository);
  const snapshot = snapshots.find((candidate) => candidate.name === name);
  if (snapshot === undefined)
    throw snapshotError('snapshot_restore_exception', `[${repository.name}:${name}] snapshot does not exist`);
  const includeGlobalState = snapshotFlag(body, 'include_global_state', false);
  const running = await services.restores.start({
    repository,
    snapshot,
    chosen: chooseRestore({
      repository: repository.name,
      snapshot,
      indices: listOf(body.indices),
      ignoreUnavailable: snapshotFlag(body, 'ignore_unavailable', false),
      featureStates: listOf(body.feature_states),
      includeGlobalState,
      ...(body.rename_pattern === undefined ? {} : { renamePattern: String(body.rename_pattern) }),
      ...(body.rename_replacement === undefined ? {} : { renameReplacement: String(body.rename_replacement) }),
    }),
    partial: snapshotFlag(body, 'partial', false),
    includeGlobalState,
    includeAliases: snapshotFlag(body, 'include_aliases', true),
    indexSettings: normalizeIndexSettings(flattenSettings(isDocument(body.index_settings) ? body.index_settings : {})),
    ignoreSettings: listOf(body.ignore_index_settings),
  });
  if (!call.flag('wait_for_completion')) return { body: { accepted: true } };
  const { successful, failed } = await services.restores.wait(running);
  return {
    body: {
      snapshot: {
        snapshot: snapshot.name,
        indices: running.indices,
        shards: { total: running.shards, failed, successful },
      },
    },
  };
}

/** Refuses lists and objects that are none. */
function refuseMalformed(body: Document): void {
  for (const name of ['indices', 'feature_states'])
    if (body[name] !== undefined && typeof body[name] !== 'string' && !Array.isArray(body[name]))
      throw illegalArgument(`malformed ${name} section, should be an array of strings`);
  if (body.metadata !== undefined && body.metadata !== null && !isDocument(body.metadata))
    throw illegalArgument('malformed metadata, should be an object');
}
