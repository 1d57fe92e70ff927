import { VirtualClock } from '@drover/core';
import type { ExchangeRequest } from '../http/exchange.ts';
import { SearchClient } from './client/client.ts';
import { loginWith } from './client/login.ts';

interface Scripted {
  readonly status?: number;
  /** A string is sent as it is, everything else as JSON. */
  readonly body: unknown;
}

export interface TestClient {
  readonly client: SearchClient;
  /** `GET /path?query` of every request, with its body if it had one. */
  readonly requests: string[];
}

/** A client whose server sends the given responses one after another, the last one again and again. */
export function testClient(...responses: readonly Scripted[]): TestClient {
  const requests: string[] = [];
  const exchange = async ({ method, path, query, body }: ExchangeRequest) => {
    const { status = 200, body: document } = responses[Math.min(requests.length, responses.length - 1)]!;
    const sent = body.length === 0 ? '' : ` ${Buffer.from(body).toString()}`;
    requests.push(`${method} ${path}${query === '' ? '' : `?${query}`}${sent}`);
    return { status, headers: {}, body: typeof document === 'string' ? document : JSON.stringify(document) };
  };
  const client = new SearchClient({
    exchange,
    clock: new VirtualClock(),
    address: { protocol: 'http', host: '127.0.1.1', port: 9200 },
    login: loginWith([], { anonymousFirst: true }),
    timeoutMs: 10_000,
  });
  return { client, requests };
}
