import type { HttpExchange } from '@drover/adapters/elasticsearch/client';

/** Elasticsearch over `fetch`: doctor and release only read, and a GET with a body is not among what they send. */
export const fetchExchange =
  (send: typeof fetch): HttpExchange =>
  async ({ method, protocol, host, path, query, headers, body, signal }) => {
    const url = `${protocol}://${host}${path}${query === '' ? '' : `?${query}`}`;
    const content = body.length === 0 ? {} : { body: Buffer.from(body) };
    const response = await send(url, { method, headers: { ...headers }, signal, redirect: 'manual', ...content });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: new Uint8Array(await response.arrayBuffer()),
    };
  };
