import { describe, expect, it } from 'vitest';
import { asFetch, type HttpRequest } from './http.ts';
import { Network, type Origin } from './network.ts';

const operator: Origin = { kind: 'operator', name: 'operator' };
const machine: Origin = { kind: 'machine', name: 'i-1' };
const site = (body: string) => async () => ({ status: 200, headers: {}, body });
const get = async (network: Network, url: string, origin = operator, init: RequestInit = {}) =>
  await (await asFetch(network.from(origin))(url, init)).text();

describe('Network', () => {
  it.each<[string, Parameters<Network['register']>[0]]>([
    ['a name', 'api.example.com'],
    ['a pattern', /\.example\.com$/],
    ['a function of the host and the origin', (host, { kind }) => host === 'api.example.com' && kind === 'operator'],
  ])('finds a site by %s, whatever the port', async (_, host) => {
    const network = new Network();
    network.register(host, site('found'));

    expect(await get(network, 'https://api.example.com:8443/')).toBe('found');
  });

  it('gives a request to the site that was registered last', async () => {
    const network = new Network();
    network.register('a', site('old'));
    network.register('a', site('new'));

    expect(await get(network, 'http://a/')).toBe('new');
  });

  it('resolves no name that nothing was registered for', async () => {
    await expect(get(new Network(), 'http://nowhere/')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('a network shows which names an origin can resolve, without a request', () => {
    const network = new Network();
    network.register((host, { kind }) => host === 'metadata' && kind === 'machine', site(''));

    expect(network.resolves('metadata', machine)).toBe(true);
    expect(network.resolves('metadata', operator)).toBe(false);
    expect(network.resolves('elsewhere', machine)).toBe(false);
  });

  it('passes method, path, query, headers and body to the site, with the origin', async () => {
    const network = new Network();
    const seen: [HttpRequest, Origin][] = [];
    network.register('a', async (request, origin) => {
      seen.push([request, origin]);
      return { status: 204, headers: {}, body: '' };
    });
    await get(network, 'https://a/path?q=1', machine, { method: 'PUT', headers: { 'X-Test': 'yes' }, body: 'text' });

    expect(seen).toMatchObject([
      [
        { method: 'PUT', protocol: 'https', host: 'a', path: '/path', query: 'q=1', headers: { 'x-test': 'yes' } },
        machine,
      ],
    ]);
    expect(Buffer.from(seen[0]![0].body).toString()).toBe('text');
  });

  it('a connection that a barrier stops gets no response, and the wait ends when the caller gives up', async () => {
    const network = new Network();
    network.register('a', site('reached'));
    network.addBarrier((_, { kind }) => (kind === 'machine' ? 'no route' : undefined));
    const abort = new AbortController();
    const stopped = get(network, 'http://a/', machine, { signal: abort.signal });
    abort.abort(new Error('gave up'));

    await expect(stopped).rejects.toThrow('gave up');
    expect(await get(network, 'http://a/')).toBe('reached');
  });
});
