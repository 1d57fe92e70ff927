import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Loopback {
  readonly port: number;
  readonly requests: {
    readonly method: string;
    readonly url: string;
    readonly headers: Record<string, unknown>;
    readonly body: string;
  }[];
  close(): Promise<void>;
}

/** A server on loopback that responds as the test wants. */
export async function loopback(
  answer: RequestListener,
  make: (listener: RequestListener) => Server = createServer,
): Promise<Loopback> {
  const requests: Loopback['requests'][number][] = [];
  const server = make((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      requests.push({ method: request.method!, url: request.url!, headers: request.headers, body });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const health = JSON.stringify({
  cluster_name: 'search',
  status: 'yellow',
  timed_out: false,
  number_of_nodes: 6,
  number_of_data_nodes: 3,
  active_primary_shards: 2,
  active_shards: 3,
  relocating_shards: 0,
  initializing_shards: 0,
  unassigned_shards: 1,
  active_shards_percent_as_number: 75,
});
