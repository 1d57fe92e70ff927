import { SearchCluster, type SearchNode } from '@drover/cloud-elasticsearch';
import type { HttpRequest, HttpResponse } from '@drover/cloud-engine';
import type { World } from '@drover/cloud-world';
import { roleStores } from '@drover/stage/cluster';

/** The host to which nodes send the requests of APIs that they lack. */
export const missingApisHost = 'missing-apis.elasticsearch.test';

interface ShutdownRecord {
  readonly type: string;
  readonly reason: string;
  readonly startedAt: number;
}

const json = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/**
 * The parts that Elastic's test distribution lacks, for the whole cluster: snapshot repositories and their policies by
 * the model of the embedded cloud, into its S3; node shutdown by records that are kept here. A node that is to leave is
 * excluded from allocation, so that the real cluster moves its shards, and what remains on it is counted by the real
 * cluster; STALLED is never reported.
 */
export class MissingApis {
  readonly #world: World;
  readonly #records = new Map<string, ShutdownRecord>();
  readonly #addressOf: (instanceId: string) => string;
  #model: SearchNode | undefined;
  #asker = '';

  constructor(world: World, addressOf: (instanceId: string) => string) {
    this.#world = world;
    this.#addressOf = addressOf;
    world.network.register(missingApisHost, (request, origin) => this.#respond(request, origin.name));
  }

  async #respond(request: HttpRequest, instanceId: string): Promise<HttpResponse> {
    const real = realCluster(`http://${this.#addressOf(instanceId)}:9201`, request.headers.authorization);
    const who = await real('GET', '/_security/_authenticate');
    if (who.status !== 200) return who;
    if ((JSON.parse(who.body as string) as { username: string }).username === 'anonymous')
      return json(401, {
        error: { type: 'security_exception', reason: 'action requires authentication' },
        status: 401,
      });
    const shutdown = /^\/_nodes(?:\/([^/]+))?\/shutdown$/.exec(request.path);
    if (shutdown !== null) return await this.#shutdown(request, shutdown[1], real);
    this.#asker = instanceId;
    return await this.#modelNode().handle(request);
  }

  #modelNode(): SearchNode {
    if (this.#model !== undefined) return this.#model;
    const caller = () => ({ credentials: this.#world.machines.credentialsOf(this.#asker)! });
    // The caller has been authenticated already.
    const model = new SearchCluster(this.#world.engine, { openStore: roleStores(this.#world, caller) });
    this.#model = model.addNode({ name: 'model' });
    return this.#model;
  }

  async #shutdown({ method, body }: HttpRequest, nodeId: string | undefined, real: RealCluster): Promise<HttpResponse> {
    if (method === 'GET') return json(200, { nodes: await this.#describe(nodeId, real) });
    if (nodeId === undefined) return json(405, { error: 'method not allowed', status: 405 });
    if (method === 'DELETE' && !this.#records.delete(nodeId))
      return json(404, {
        error: { type: 'resource_not_found_exception', reason: `node [${nodeId}] is not shutting down` },
        status: 404,
      });
    if (method === 'PUT') {
      const { type, reason } = JSON.parse(Buffer.from(body).toString()) as { type: string; reason: string };
      const startedAt = this.#records.get(nodeId)?.startedAt ?? this.#world.engine.clock.now();
      this.#records.set(nodeId, { type: type.toUpperCase(), reason, startedAt });
    }
    const excluded = [...this.#records.keys()].join(',');
    const settings = { 'cluster.routing.allocation.exclude._id': excluded === '' ? null : excluded };
    const answer = await real('PUT', '/_cluster/settings', JSON.stringify({ persistent: settings }));
    return answer.status === 200 ? json(200, { acknowledged: true }) : answer;
  }

  async #describe(nodeId: string | undefined, real: RealCluster): Promise<readonly object[]> {
    const wanted = [...this.#records].filter(([id]) => nodeId === undefined || id === nodeId);
    if (wanted.length === 0) return [];
    const { body } = await real('GET', '/_cat/shards?format=json&h=id');
    const shards = JSON.parse(body as string) as { readonly id: string | null }[];
    return wanted.map(([id, { type, reason, startedAt }]) => {
      const remaining = shards.filter((shard) => shard.id === id).length;
      const status = remaining === 0 ? 'COMPLETE' : 'IN_PROGRESS';
      return {
        node_id: id,
        ...{ type, reason, status, shutdown_startedmillis: startedAt },
        shard_migration: { status, shard_migrations_remaining: remaining },
        persistent_tasks: { status: 'COMPLETE' },
        plugins: { status: 'COMPLETE' },
      };
    });
  }
}

type RealCluster = (method: string, path: string, body?: string) => Promise<HttpResponse>;

/** Requests to a real node, as the one who asked it. */
const realCluster =
  (url: string, authorization: string | undefined): RealCluster =>
  async (method, path, body) => {
    const headers = {
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: answer.status, headers: { 'content-type': 'application/json' }, body: await answer.text() };
  };
