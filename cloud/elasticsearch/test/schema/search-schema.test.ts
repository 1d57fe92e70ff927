import { beforeAll, describe, expect, it } from 'vitest';
import { routerFor, routes } from '../../src/http/routes/all-routes.ts';
import requests from '../../src/http/routes/requests.json' with { type: 'json' };
import type { Route } from '../../src/http/routes/route.ts';
import { type Answer, TestCluster } from '../search-support.ts';
import { errorProblems, schemaProblemsOf } from './check-response.ts';
import { requestTable } from './request-table.ts';
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

  it('requests.json is what the description says (npx tsx scripts/generate/elasticsearch-routes.ts writes it)', () => {
    expect(requests).toEqual(requestTable());
  });
});
