import type { FormedCluster } from '../coordination/formed-cluster.ts';
import type { SearchNode } from '../coordination/search-node.ts';
import { ElasticsearchError } from '../errors.ts';
import type { RepositoryMetadata } from '../state/cluster-state.ts';
import { below, type ObjectStore, type OpenStore } from './object-store.ts';
import { type RepositoryData, readRepository } from './repository-data.ts';

export const repositoryMissing = (name: string) =>
  new ElasticsearchError({ type: 'repository_missing_exception', reason: `[${name}] missing` });

/** The registered repositories of a cluster, as its nodes reach them. */
export class Repositories {
  #core: FormedCluster;
  #open: OpenStore;
  #members: () => readonly SearchNode[];
  #cache = new Map<string, RepositoryData>();

  constructor(core: FormedCluster, open: OpenStore, members: () => readonly SearchNode[]) {
    this.#core = core;
    this.#open = open;
    this.#members = members;
  }

  find(name: string): RepositoryMetadata {
    const repository = this.#core.state.repositories.get(name);
    if (repository === undefined) throw repositoryMissing(name);
    return repository;
  }

  /** The repository's storage with the credentials of one node. */
  storeOf(repository: RepositoryMetadata, node: SearchNode): ObjectStore {
    return below(
      this.#open({ type: repository.type, settings: repository.settings }, node),
      repository.settings.base_path ?? '',
    );
  }

  /** The repository's storage with the master's credentials. */
  masterStore(repository: RepositoryMetadata): ObjectStore {
    const { leader } = this.#core;
    return this.storeOf(repository, this.#members().find((node) => node === leader)!);
  }

  async data(repository: RepositoryMetadata): Promise<RepositoryData> {
    const data = await readRepository(this.masterStore(repository), this.#cache.get(repository.uuid));
    this.#cache.set(repository.uuid, data);
    return data;
  }

  remember(repository: RepositoryMetadata, data: RepositoryData): void {
    this.#cache.set(repository.uuid, data);
  }

  /** Every master and data node writes and the others read; the first to fail is named ("Verify snapshot repository API"). */
  async verify(repository: RepositoryMetadata): Promise<readonly SearchNode[]> {
    const nodes = this.#members().filter(({ roles }) =>
      roles.some((role) => role === 'master' || role.startsWith('data')),
    );
    const seed = this.#core.newId();
    const bytes = new TextEncoder().encode(seed);
    const key = (name: string) => `tests-${seed}/${name}.dat`;
    if (repository.settings.readonly === 'true') {
      await this.#tryMaster(repository, (store) => store.list('index'));
      return nodes;
    }
    await this.#tryMaster(repository, (store) => store.put(key('master'), bytes));
    const failures: { node: SearchNode; error: unknown }[] = [];
    for (const node of nodes)
      await this.#tryNode(repository, node, key, bytes).catch((error: unknown) => failures.push({ node, error }));
    await this.#cleanUp(repository, seed);
    if (failures.length > 0) throw notAccessible(repository.name, failures);
    return nodes;
  }

  async #tryMaster(repository: RepositoryMetadata, act: (store: ObjectStore) => Promise<unknown>): Promise<void> {
    try {
      await act(this.masterStore(repository));
    } catch (error) {
      const path = repository.settings.base_path ?? '';
      const cause = { type: 'i_o_exception', reason: messageOf(error) };
      throw new ElasticsearchError({
        type: 'repository_verification_exception',
        reason: `[${repository.name}] path ${path} is not accessible on master node`,
        causedBy: cause,
        rootCause: [cause],
      });
    }
  }

  async #tryNode(
    repository: RepositoryMetadata,
    node: SearchNode,
    key: (name: string) => string,
    bytes: Uint8Array,
  ): Promise<void> {
    const store = this.storeOf(repository, node);
    await store.put(key(`data-${node.id}`), bytes);
    const written = await store.get(key('master'));
    if (written === undefined)
      throw new Error(
        `a file written by master to the store [${repository.name}] cannot be accessed on the node [${node.name}]. This might indicate that the store [${repository.name}] is not shared between this node and the master node or that permissions on the store don't allow reading files written by the master node`,
      );
  }

  async #cleanUp(repository: RepositoryMetadata, seed: string): Promise<void> {
    const store = this.masterStore(repository);
    await store.delete(await store.list(`tests-${seed}/`));
  }
}

function notAccessible(name: string, failures: readonly { node: SearchNode; error: unknown }[]): ElasticsearchError {
  const list = failures.map(
    ({ node, error }) =>
      `[${node.id}, 'RemoteTransportException[[${node.name}][${node.ip}:${node.options.transportPort ?? 9300}][internal:admin/repository/verify]]; nested: RepositoryVerificationException[[${name}] ${messageOf(error)}];']`,
  );
  return new ElasticsearchError({
    type: 'repository_verification_exception',
    reason: `[${name}] [${list.join(', ')}]`,
  });
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
