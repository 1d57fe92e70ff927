import type { HttpResponse } from '@drover/cloud-engine';
import { createEngine, type Engine } from '@drover/cloud-engine';
import { VirtualClock } from '@drover/core';
import { parse } from 'yaml';
import type { NodeOptions, SearchNode } from '../src/engine/coordination/search-node.ts';
import type { SearchClusterOptions } from '../src/engine/search-cluster.ts';
import { SearchCluster } from '../src/serving-cluster.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into responses of every shape
  readonly body: any;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface AskOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly node?: SearchNode;
  /** The caller checks the response against the schema itself. */
  readonly unchecked?: boolean;
}

/** A cluster on a virtual clock that moves only while a caller waits for a response or advances it. */
export class TestCluster {
  readonly clock: VirtualClock;
  readonly engine: Engine;
  readonly cluster: SearchCluster;

  constructor(options: SearchClusterOptions = {}, seed: string | number = 1) {
    this.clock = new VirtualClock();
    this.engine = createEngine({ clock: this.clock, seed });
    this.cluster = new SearchCluster(this.engine, { clusterName: 'test', ...options });
  }

  /** Three nodes that hold everything, one in each zone. */
  static async formed(
    count = 3,
    options: SearchClusterOptions = {},
    node: (at: number) => Partial<NodeOptions> = () => ({}),
  ): Promise<TestCluster> {
    const test = new TestCluster(options);
    for (let at = 0; at < count; at++)
      test.cluster.addNode({ name: `node-${at + 1}`, zone: 'abcdefgh'[at % 3]!, ...node(at) });
    await test.clock.advance(10_000);
    return test;
  }

  get nodes(): readonly SearchNode[] {
    return this.cluster.nodes;
  }

  node(name: string): SearchNode {
    return this.cluster.node(name);
  }

  /** Asks a node, moving time until it has responded. */
  async ask(method: string, target: string, options: AskOptions = {}): Promise<Answer> {
    const node = options.node ?? this.nodes.find((candidate) => candidate.running)!;
    const [path, query] = target.split('?') as [string, string | undefined];
    const { bytes, type } = encode(options.body);
    const headers = { ...(type === undefined ? {} : { 'content-type': type }), ...options.headers };
    const pending = node.handle({ method, host: node.ip, path, query: query ?? '', headers, body: bytes });
    const answer = read(await this.settle(pending));
    if (options.unchecked !== true) await this.#checkSchema(method, path, query ?? '', answer);
    return answer;
  }

  /** Every response in the tests is checked against the published schema, as far as that knows the version. */
  async #checkSchema(method: string, path: string, query: string, answer: Answer): Promise<void> {
    if (!/^(8\.1[6-9]|9)/.test(this.cluster.version) || answer.status >= 300 || /filter_path|flat_settings/.test(query))
      return;
    if (answer.body === undefined || !/json/.test(answer.headers['content-type'] ?? '')) return;
    const { schemaProblems } = await import('./schema/check-response.ts');
    const { unexplained } = await import('./schema/waivers.ts');
    const checked = schemaProblems(method, path, answer.body);
    const problems = checked === undefined ? [] : unexplained(checked.api, checked.problems);
    if (problems.length > 0)
      throw new Error(
        `${method} ${path} does not respond as the schema of ${checked!.api} says:\n${problems.slice(0, 10).join('\n')}`,
      );
  }

  /** Moves time until a promise has settled. */
  async settle<T>(promise: Promise<T>, limitMs = 3_600_000): Promise<T> {
    let done = false;
    const watched = promise.finally(() => {
      done = true;
    });
    watched.catch(() => {});
    await this.clock.runUntil(() => done, limitMs);
    if (!done) throw new Error('no response within an hour');
    return await watched;
  }

  get(target: string, options: AskOptions = {}): Promise<Answer> {
    return this.ask('GET', target, options);
  }

  put(target: string, body?: unknown, options: AskOptions = {}): Promise<Answer> {
    return this.ask('PUT', target, { ...options, body });
  }

  post(target: string, body?: unknown, options: AskOptions = {}): Promise<Answer> {
    return this.ask('POST', target, { ...options, body });
  }

  delete(target: string, options: AskOptions = {}): Promise<Answer> {
    return this.ask('DELETE', target, options);
  }
}

function encode(body: unknown): { bytes: Uint8Array; type?: string } {
  if (body === undefined) return { bytes: new Uint8Array(0) };
  if (typeof body === 'string') return { bytes: Buffer.from(body), type: 'application/x-ndjson' };
  if (body instanceof Uint8Array) return { bytes: body };
  return { bytes: Buffer.from(JSON.stringify(body)), type: 'application/json' };
}

export function read(response: HttpResponse): Answer {
  const text = typeof response.body === 'string' ? response.body : Buffer.from(response.body).toString();
  const type = response.headers['content-type'] ?? '';
  const body =
    text === '' ? undefined : /json/.test(type) ? JSON.parse(text) : /yaml/.test(type) ? parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, body };
}
