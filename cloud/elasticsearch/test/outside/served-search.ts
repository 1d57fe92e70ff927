import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Served } from '@drover/cloud-engine';
import { createEngine } from '@drover/cloud-engine';
import { ScaledClock } from '@drover/core';
import { SearchCluster, serveNode } from '../../src/serving-cluster.ts';

/** A cluster that processes of the outside can talk to. */
export interface ServedSearch {
  /** Without credentials. */
  readonly url: string;
  /** With an administrator's credentials. */
  readonly urlWithPassword: string;
  readonly username: string;
  readonly password: string;
  /** Sends JSON and reads JSON; throws unless it went well. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into responses of every shape
  ask(method: string, path: string, body?: unknown): Promise<any>;
  close(): Promise<void>;
}

const [username, password] = ['elastic', 'outside-password'];

/** Three nodes in three zones with security, on a clock that runs twenty times as fast. */
export async function serveSearch(version: string): Promise<ServedSearch> {
  const engine = createEngine({ clock: new ScaledClock({ speed: 20 }), seed: 1 });
  const cluster = new SearchCluster(engine, {
    version,
    clusterName: 'outside',
    security: { bootstrapPassword: password },
    settings: { 'path.repo': ['/repositories'] },
  });
  for (const zone of ['a', 'b', 'c']) cluster.addNode({ name: `node-${zone}`, zone });
  const served: Served = await serveNode(cluster.nodes[0]!);
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(served.url + path, {
      method,
      headers: { authorization: `Basic ${btoa(`${username}:${password}`)}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  await ask('GET', '/_cluster/health?wait_for_nodes=3&timeout=60s');
  return {
    url: served.url,
    urlWithPassword: served.url.replace('://', `://${username}:${password}@`),
    username,
    password,
    ask,
    close: () => served.close(),
  };
}

/** Documents in two indices and a snapshot of them. */
export async function fillSearch({ ask }: ServedSearch): Promise<void> {
  await ask('PUT', '/books', { settings: { number_of_shards: 2, number_of_replicas: 1 }, aliases: { shelf: {} } });
  await ask('PUT', '/logs-2026.01.01', { settings: { number_of_replicas: 0 } });
  for (let id = 1; id <= 5; id++)
    await ask('PUT', `/books/_doc/${id}?refresh=true`, { title: `book ${id}`, pages: id });
  await ask('GET', '/_cluster/health?wait_for_status=green&timeout=60s');
  await ask('PUT', '/_snapshot/backups', { type: 'fs', settings: { location: '/repositories/backups' } });
  await ask('PUT', '/_snapshot/backups/first?wait_for_completion=true', {
    // Not .security-7, which the cluster creates by itself at some moment.
    indices: 'books,logs-*',
    include_global_state: false,
  });
}

/** A port of loopback that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
