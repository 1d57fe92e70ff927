import * as http from 'node:http';
import * as https from 'node:https';
import type { RawAnswer, Transport } from './transport.ts';

/** No response takes longer than this; waits of the server itself end earlier. */
const answerMs = 120_000;

/** A real server; the address carries the credentials of an administrator. */
export function serverTransport(
  address: string,
  {
    restartUrl,
    ports,
  }: { readonly restartUrl?: string | undefined; readonly ports?: readonly number[] | undefined } = {},
): Transport {
  const url = new URL(address);
  const client = url.protocol === 'https:' ? https : http;
  const agent = new client.Agent({ keepAlive: true });
  return {
    administrator: { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) },
    pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    restart: restartUrl === undefined ? undefined : () => restart(restartUrl),
    oneNode: restartUrl === undefined ? undefined : (what, node) => restart(`${restartUrl}/${what}/${node + 1}`),
    close: async () => agent.destroy(),
    ownSecurity: ports !== undefined,
    send: (method, path, headers, body, node) =>
      new Promise((resolve, reject) => {
        const length: Record<string, string> = body.length > 0 ? { 'content-length': String(body.length) } : {};
        const request = client.request(
          {
            agent,
            method,
            path,
            headers: { ...headers, ...length },
            hostname: url.hostname,
            port: ports?.[node] ?? url.port,
          },
          (response) => collect(response).then(resolve, reject),
        );
        request.setTimeout(answerMs, () => request.destroy(new Error(`${method} ${path}: no response`)));
        request.on('error', reject);
        request.end(body);
      }),
  };
}

async function restart(service: string): Promise<void> {
  const answer = await fetch(service, { method: 'POST' });
  if (!answer.ok) throw new Error(`the nodes did not restart: ${await answer.text()}`);
}

async function collect(response: http.IncomingMessage): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers = Object.fromEntries(
    Object.entries(response.headersDistinct).map(([name, values]) => [name, values!.join(', ')]),
  );
  return { status: response.statusCode!, headers, body: Buffer.concat(chunks) };
}
