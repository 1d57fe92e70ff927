import type { Document } from '@drover/formats';
import { type Failure, parseError, validationFailed } from '../../../engine/errors.ts';
import { repositoryMissing } from '../../../engine/snapshots/repositories.ts';
import { type RepositoryMetadata, withEntry } from '../../../engine/state/cluster-state.ts';
import { wildcardToRegExp } from '../../../engine/values/filter-path.ts';
import { flattenSettings } from '../../../engine/values/flat-settings.ts';
import { parseBytes } from '../../../engine/values/units.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { RestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

export const repositoryRoutes: readonly Endpoint[] = [
  {
    api: 'snapshot.get_repository',
    action: 'cluster:admin/repository/get',
    run: get,
  },
  {
    api: 'snapshot.create_repository',
    action: 'cluster:admin/repository/put',
    run: put,
  },
  {
    api: 'snapshot.delete_repository',
    action: 'cluster:admin/repository/delete',
    run: remove,
  },
  {
    api: 'snapshot.verify_repository',
    action: 'cluster:admin/repository/verify',
    run: verify,
  },
  {
    api: 'snapshot.cleanup_repository',
    action: 'cluster:admin/repository/_cleanup',
    run: cleanUp,
  },
];

/** Repositories that an expression means; a name that there is none of is an error. */
export function selectRepositories(
  repositories: ReadonlyMap<string, RepositoryMetadata>,
  names: readonly string[],
): RepositoryMetadata[] {
  if (names.length === 0 || names.includes('_all')) return [...repositories.values()];
  const chosen = new Set<RepositoryMetadata>();
  for (const name of names) {
    if (!name.includes('*')) {
      const repository = repositories.get(name);
      if (repository === undefined) throw repositoryMissing(name);
      chosen.add(repository);
    } else
      for (const repository of repositories.values())
        if (wildcardToRegExp(name).test(repository.name)) chosen.add(repository);
  }
  return [...chosen];
}

async function get(call: Call): Promise<Reply> {
  const state = await call.state();
  const chosen = selectRepositories(state.repositories, call.list('repository'));
  return { body: Object.fromEntries(chosen.map((repository) => [repository.name, repositoryBody(repository)])) };
}

const repositoryBody = ({ type, settings }: RepositoryMetadata): Document => ({ type, settings });

async function put(call: Call): Promise<Reply> {
  const repository = readRepository(call);
  const { core, repositories, snapshots } = await call.master();
  const before = core.state.repositories.get(repository.name);
  if (snapshots.isRunning(repository.name)) throw inUse(repository.name);
  refuseUnusable(call, repository);
  const registered = { ...repository, uuid: before?.uuid ?? core.newId() };
  if (call.flag('verify', true)) await repositories.verify(registered);
  core.update((state) => ({ ...state, repositories: withEntry(state.repositories, registered.name, registered) }));
  return { body: { acknowledged: true } };
}

const inUse = (name: string) =>
  new RestError(409, {
    type: 'repository_conflict_exception',
    reason: `[${name}] trying to modify or unregister repository that is currently used (snapshot is in progress)`,
  });

function readRepository(call: Call): RepositoryMetadata {
  if (call.body === undefined) throw parseError('request body is required');
  const body = call.object();
  if (body.type === undefined) throw validationFailed(['type is missing']);
  const name = call.text('repository')!;
  const wrong = (reason: string) => new RestError(500, { type: 'repository_exception', reason: `[${name}] ${reason}` });
  if (/[ "*,/<>?\\|]/.test(name))
    throw wrong("must not contain the following characters [' ','\"','*',',','/','<','>','?','\\','|']");
  if (name.includes('#')) throw wrong("must not contain '#'");
  const settings = Object.fromEntries(
    Object.entries(flattenSettings(isDocument(body.settings) ? body.settings : {})).map(([key, value]) => [
      key,
      String(value),
    ]),
  );
  return { name, uuid: '', type: String(body.type), settings };
}

const types = ['fs', 's3', 'gcs', 'azure', 'url'];

/** Faults of a repository's definition that show without access to its storage. */
function refuseUnusable(call: Call, { name, type, settings }: RepositoryMetadata): void {
  if (!types.includes(type))
    throw new RestError(500, {
      type: 'repository_exception',
      reason: `[${name}] repository type [${type}] does not exist`,
    });
  const cannot = (cause: Failure, roots: readonly Failure[]) =>
    new RestError(500, {
      type: 'repository_exception',
      reason: `[${name}] failed to create repository`,
      causedBy: cause,
      rootCause: roots,
    });
  const own = (reason: string) => ({ type: 'repository_exception', reason: `[${name}] ${reason}` });
  if (type === 'fs' && settings.location === undefined)
    throw cannot(own('missing location'), [own('missing location')]);
  if (type === 's3' && (settings.bucket ?? '') === '')
    throw cannot({ type: 'illegal_argument_exception', reason: 'No bucket defined for s3 repository' }, [
      { type: 'repository_exception', reason: `[${name}] failed to create repository` },
    ]);
  const outside =
    type === 'fs' &&
    settings.location!.startsWith('/') &&
    !call.cluster.repositoryPaths.some((path) => settings.location!.startsWith(path));
  if (outside) {
    const cause = own(`location [${settings.location}] doesn't match any of the locations specified by path.repo`);
    throw cannot(cause, [cause]);
  }
  for (const key of ['chunk_size', 'max_snapshot_bytes_per_sec', 'max_restore_bytes_per_sec', 'buffer_size'])
    if (settings[key] !== undefined && parseBytes(settings[key]) === undefined) {
      const reason = `failed to parse setting [${key}] with value [${settings[key]}] as a size in bytes: unit is missing or unrecognized`;
      throw cannot({ type: 'illegal_argument_exception', reason, causedBy: { type: 'parse_exception', reason } }, [
        { type: 'repository_exception', reason: `[${name}] failed to create repository` },
      ]);
    }
}

async function remove(call: Call): Promise<Reply> {
  const { core, snapshots } = await call.master();
  const names = call.list('repository');
  const chosen = selectRepositories(core.state.repositories, names);
  if (chosen.length === 0 && names.join(',') !== '*') throw repositoryMissing(names.join(','));
  const busy = chosen.find(({ name }) => snapshots.isRunning(name));
  if (busy !== undefined) throw inUse(busy.name);
  core.update((state) => ({
    ...state,
    repositories: new Map(
      [...state.repositories].filter(([name]) => !chosen.some((repository) => repository.name === name)),
    ),
  }));
  return { body: { acknowledged: true } };
}

async function verify(call: Call): Promise<Reply> {
  const { repositories } = await call.master();
  const nodes = await repositories.verify(repositories.find(call.text('repository')!));
  return { body: { nodes: Object.fromEntries(nodes.map((node) => [node.id, { name: node.name }])) } };
}

/** Finds objects that no snapshot needs: none here, because deleting a snapshot removes what it had. */
async function cleanUp(call: Call): Promise<Reply> {
  const { repositories, snapshots } = await call.master();
  const repository = repositories.find(call.text('repository')!);
  const running = snapshots.running.filter((entry) => entry.repository === repository.name);
  if (running.length > 0) {
    const reason = `Cannot cleanup [${repository.name}] - a snapshot is currently running in [SnapshotsInProgress[entries=[${running.map(({ info }) => info.name).join(', ')}],nodeIdsForRemoval=[]]]`;
    throw new RestError(500, { type: 'illegal_state_exception', reason });
  }
  await repositories.data(repository);
  return { body: { results: { deleted_bytes: 0, deleted_blobs: 0 } } };
}
