import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../aws/test/outside/outside-client.ts';
import { fillSearch, type ServedSearch, serveSearch } from './served-search.ts';

const curl = outsideClient('curl', 'apt-get install curl');

describe.skipIf(curl.missing)(`curl and Elasticsearch${curl.reason}`, () => {
  let search: ServedSearch;

  beforeAll(async () => {
    search = await serveSearch('8.19.21');
    await fillSearch(search);
  }, 120_000);
  afterAll(() => search?.close());

  const run = (...args: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      execFile(curl.path, ['--silent', '--show-error', ...args], (error, stdout) =>
        error === null ? resolve(stdout) : reject(error),
      );
    });
  const asElastic = (...args: readonly string[]) => run('--user', `${search.username}:${search.password}`, ...args);

  it('curl reads a cat table', async () => {
    expect(await asElastic(`${search.url}/_cat/indices?v&h=health,index,pri,rep,docs.count&s=index`)).toBe(
      [
        'health index           pri rep docs.count',
        'green  books             2   1          5',
        'green  logs-2026.01.01   1   0          0',
        '',
      ].join('\n'),
    );
  });

  it('curl sends JSON with GET and with PUT', async () => {
    const json = ['-H', 'Content-Type: application/json'];
    const found = await asElastic(
      '-X',
      'GET',
      ...json,
      '-d',
      '{"query":{"term":{"pages":3}}}',
      `${search.url}/books/_search?filter_path=hits.hits._id`,
    );
    expect(found).toBe('{"hits":{"hits":[{"_id":"3"}]}}');
    expect(
      await asElastic('-X', 'PUT', ...json, '-d', '{"a":1}', `${search.url}/extra/_doc/1?filter_path=result`),
    ).toBe('{"result":"created"}');
  });

  it('curl is refused without a known content type', async () => {
    expect(await asElastic('-d', '{"size":0}', `${search.url}/_search`)).toBe(
      '{"error":"Content-Type header [application/x-www-form-urlencoded] is not supported","status":406}',
    );
  });

  it('curl gets 401 with WWW-Authenticate when it sends no password', async () => {
    const headers = await run('--head', '-X', 'GET', `${search.url}/_cluster/health`);

    expect(headers).toMatch(/^HTTP\/1\.1 401/);
    expect(headers).toMatch(/www-authenticate: Basic realm="security", charset="UTF-8"/i);
    expect(headers).not.toMatch(/x-elastic-product/i);
  });

  it('curl sees the product and a length in the headers of a HEAD response', async () => {
    const headers = await asElastic('--head', `${search.url}/books`);

    expect(headers).toMatch(/^HTTP\/1\.1 200/);
    expect(headers).toMatch(/x-elastic-product: Elasticsearch/i);
  });

  it('curl reads a compressed response on request', async () => {
    expect(JSON.parse(await asElastic('--compressed', `${search.url}/_cluster/health`)).status).toBe('green');
  });
});
