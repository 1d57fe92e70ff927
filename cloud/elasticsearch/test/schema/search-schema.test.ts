import { beforeAll, describe, expect, it } from 'vitest';
import names from '../../src/engine/documents/search-names.json' with { type: 'json' };
import types from '../../src/engine/indices/field-types.json' with { type: 'json' };
import { routerFor, routes } from '../../src/http/routes/all-routes.ts';
import requests from '../../src/http/routes/requests.json' with { type: 'json' };
import type { Route } from '../../src/http/routes/route.ts';
import unmodelled from '../../src/http/routes/unmodelled.json' with { type: 'json' };
import { type Answer, TestCluster } from '../search-support.ts';
import { errorProblems, schemaProblemsOf } from './check-response.ts';
import { fieldTypes, requestTable, searchNames, unmodelledRequests } from './request-table.ts';
import { type SessionCall, session } from './session.ts';
import { unexplained } from './waivers.ts';

/** The version of the package that carries the schema. */
const version = '9.5.0';
const elastic = { authorization: `Basic ${Buffer.from('elastic:changeme').toString('base64')}` };

/** Paths that the server has and the schema has not, so there is nothing to hold them against. */
const unpublished: Readonly<Record<string, string>> = {
  'POST /_close': 'is known only to be refused: names of indices are missing',
  'DELETE /': 'is known only to be refused: names of indices are missing',
  'POST /{index}/{type}': 'is known only to be refused: mapping types are gone since 8.0',
  'GET /{index}/_mapping/{type}': 'mapping types are gone since 8.0',
  'HEAD /{index}/_mapping/{type}': 'mapping types are gone since 8.0',
};

/** Plain text responses, which the schema cannot describe. */
const textual = new Set(['nodes.hot_threads', 'cat.help']);

function checkError(answer: Answer, status: number): readonly string[] {
  return answer.status === status ? errorProblems(answer.body) : [`returned ${answer.status} ${answer.text}`];
}

class Session {
  readonly problems: string[] = [];
  readonly validated = new Set<string>();
  #known = new Map<string, string>();
  #test: TestCluster;

  constructor(test: TestCluster) {
    this.#test = test;
    this.#known.set('node', test.nodes[2]!.id);
  }

  async send([request, body, status]: SessionCall): Promise<void> {
    const [method, target] = this.#fill(request).split(' ') as [string, string];
    const filled = typeof body === 'object' ? JSON.parse(this.#fill(JSON.stringify(body))) : body;
    const answer = await this.#test.ask(method, target, { body: filled, headers: elastic, unchecked: true });
    this.#learn(answer);
    const path = target.split('?')[0]!;
    const { route } = routerFor(version).find(method, path, target);
    const problems = status === undefined ? this.#check(method, route, answer) : checkError(answer, status);
    if (problems.length > 0) this.problems.push(`${request}: ${problems.slice(0, 6).join('; ')}`);
    else this.validated.add(requestOf(route, method, path));
  }

  #check(method: string, route: Route, answer: Answer): readonly string[] {
    if (answer.status >= 300) return [`returned ${answer.status} ${answer.text.slice(0, 300)}`];
    if (method === 'HEAD') return answer.text === '' ? [] : ['has a body'];
    const { api } = route;
    if (textual.has(api)) return /^text\/plain/.test(answer.headers['content-type'] ?? '') ? [] : ['is not a text'];
    const found = schemaProblemsOf(api, answer.body ?? (answer.text === '' ? undefined : answer.text));
    return found === undefined ? (answer.text === '' ? [] : ['there is no schema']) : unexplained(api, found);
  }

  #fill(text: string): string {
    return text.replace(/\$(node|scroll|key)\b/g, (_match, name: string) => this.#known.get(name) ?? 'unknown');
  }

  #learn({ body }: Answer): void {
    if (typeof body?._scroll_id === 'string') this.#known.set('scroll', body._scroll_id);
    if (typeof body?.encoded === 'string') this.#known.set('key', body.id);
  }
}

function requestOf({ requests }: Route, method: string, path: string): string {
  const segments = path.split('/');
  const fits = (request: string) => {
    const [of, pattern] = request.split(' ') as [string, string];
    const parts = pattern.split('/');
    if (of !== method || parts.length !== segments.length) return false;
    return parts.every((part, at) => part.startsWith('{') || part === segments[at]);
  };
  const literal = (request: string) => request.split('/').filter((part) => !part.startsWith('{')).length;
  return requests.filter(fits).sort((a, b) => literal(b) - literal(a))[0]!;
}

describe('responses of the Elasticsearch model, checked against the published API description', () => {
  let done: Session;

  beforeAll(async () => {
    const security = { bootstrapPassword: 'changeme' };
    const test = await TestCluster.formed(3, { version, security, settings: { 'path.repo': ['/mnt'] } });
    done = new Session(test);
    for (const call of session) await done.send(call);
  });

  it('responses have the described shape in a session that calls every API', () => {
    expect(done.problems).toEqual([]);
  });

  it('every method and path of the model was checked', () => {
    const all = routes.filter(({ below }) => below === undefined).flatMap(({ requests }) => requests);
    console.log(`${done.validated.size} of ${new Set(all).size} methods and paths were validated`);
    expect(all.filter((name) => !done.validated.has(name) && unpublished[name] === undefined)).toEqual([]);
  });

  it('the tables of requests are what the description says (npm run generate writes them)', () => {
    expect(requests).toEqual(requestTable());
    expect(unmodelled).toEqual(unmodelledRequests());
    expect(names).toEqual(searchNames());
    expect(types).toEqual(fieldTypes());
  });
});

describe('what the published API description has and the model has not', () => {
  const header = 'x-drover-not-modelled';

  it('every published request that is not modelled is refused as not modelled, and the journal counts it', async () => {
    const test = await TestCluster.formed(1, { version });
    const wrong: string[] = [];
    for (const request of unmodelled) {
      const [method, path] = request.replaceAll(/\{\w+\}/g, 'x').split(' ') as [string, string];
      const { status, headers, body } = await test.ask(method, path);
      const said =
        method === 'HEAD' ||
        String(body?.error?.reason).startsWith(`not modelled by the embedded cluster: ${method} /`);
      if (status !== 400 || headers[header] !== '1' || !said) wrong.push(`${request}: ${status}`);
    }
    expect(wrong).toEqual([]);
    const noted = test.engine.journal.entries.filter(({ name }) => name.startsWith('not modelled: '));
    expect(noted).toHaveLength(unmodelled.length);
  });

  it('every published parameter that is not modelled is refused as not modelled', async () => {
    const test = await TestCluster.formed(1, { version });
    const wrong: string[] = [];
    for (const {
      requests: [request],
      refused,
      api,
    } of routes.filter(({ below }) => below === undefined))
      for (const name of refused) {
        const [method, path] = request!.replaceAll(/\{\w+\}/g, 'x').split(' ') as [string, string];
        const { headers, body } = await test.ask(method, `${path}?${name}=1`);
        if (headers[header] !== '1' || !String(body?.error.reason).includes(`[${name}] of ${api}`))
          wrong.push(`${request}?${name}`);
      }
    expect(wrong).toEqual([]);
  });

  it('what no server knows is refused in the words of a server', async () => {
    const test = await TestCluster.formed(1, { version });
    const asked = [
      await test.get('/_nope/x/y'),
      await test.get('/_search?nope=1'),
      await test.post('/_search', { nope: 1 }),
      await test.post('/_search', { query: { nope: {} } }),
    ];
    expect(asked.map(({ status, headers }) => [status, headers[header]])).toEqual(asked.map(() => [400, undefined]));
    const { body } = await test.post('/_search', { query: { match: { title: 'x' } } });
    expect(body.error.reason).toBe('not modelled by the embedded cluster: the query [match]');
  });
});
