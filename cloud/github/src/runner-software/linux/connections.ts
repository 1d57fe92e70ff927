import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

export interface Exchange {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface Answered {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/**
 * A client of the original: it keeps its connection, and shares it with no other. Each step of a job makes a client of its own, and so opens a
 * connection of its own; a firewall that lets no new one through stops it there.
 */
export class WireClient {
  readonly #http = new HttpAgent({ keepAlive: true, maxSockets: 1 });
  readonly #https = new HttpsAgent({ keepAlive: true, maxSockets: 1 });

  send({ method, url, headers, body, signal }: Exchange): Promise<Answered> {
    const secure = url.startsWith('https:');
    const options: RequestOptions = { method, signal, headers: { ...headers, ...lengthOf(body) } };
    return new Promise((resolve, reject) => {
      const request = secure
        ? httpsRequest(url, { ...options, agent: this.#https })
        : httpRequest(url, { ...options, agent: this.#http });
      request.on('error', reject);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers['content-type'] ?? '',
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      });
      request.end(body);
    });
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

const lengthOf = (body: string | undefined): Record<string, string> =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
