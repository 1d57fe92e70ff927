import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LocalCluster } from './cluster.ts';
import type { Distribution } from './distribution.ts';

/** Acts on the machines under the nodes, for tests, over HTTP. */
export interface NodeService {
  readonly url: string;
  close(): void;
}

/**
 * At its root a restart of all nodes. Of one node: `/stop/3`; `/start/3`, with `/start/3/8.19.21` after the installation of that version;
 * `/program/3/elasticsearch-users/list` runs a program for it, with the request's body as input.
 */
export async function nodeService(
  cluster: LocalCluster,
  versions: ReadonlyMap<string, Distribution> = new Map(),
): Promise<NodeService> {
  const server = createServer((request, response) => {
    act(cluster, versions, request).then(
      (said) => response.end(said),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

async function act(
  cluster: LocalCluster,
  versions: ReadonlyMap<string, Distribution>,
  request: IncomingMessage,
): Promise<string | undefined> {
  const [, what, number, ...words] = (request.url ?? '').split('/').map(decodeURIComponent);
  if (what === 'program') return await cluster.program(Number(number), words, await bodyOf(request));
  if (what === 'stop') await cluster.stopOne(Number(number));
  else if (what === 'start') await cluster.startOne(Number(number), distributionOf(versions, words[0]));
  else await cluster.restart();
  return undefined;
}

function distributionOf(versions: ReadonlyMap<string, Distribution>, version: string | undefined) {
  const found = versions.get(version ?? '');
  if (version !== undefined && versions.size > 0 && found === undefined) throw new Error(`there is no ${version} here`);
  return found;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
