import { expect } from 'vitest';
import { parse } from 'yaml';
import { type ClusterFacts, type ClusterNode, type Recorded, type View, viewOf } from './normalise.ts';
import { recall, record } from './recordings.ts';
import { recording } from './target.ts';
import type { Answer, Ask, Credentials, Transport } from './transport.ts';

/** How long a case waits for recoveries to end. */
const restMs = 60_000;

/** On what a plugin of ours says for a module that the server lacks (`scripts/elasticsearch/plugins`). */
export const standInHeader = 'x-drover-stand-in';

/** The cluster of a case: the embedded one or a real server. */
export class ContractTarget {
  readonly transport: Transport;
  readonly nodes: readonly ClusterNode[];
  readonly clusterName: string;
  readonly version: string;
  /** A directory in which file repositories may be. */
  readonly repositoryPath: string | undefined;
  readonly #case: string;
  readonly #undo: (() => Promise<unknown>)[] = [];

  constructor(title: string, transport: Transport, cluster: ClusterFacts) {
    this.#case = title;
    this.transport = transport;
    this.nodes = cluster.nodes;
    this.clusterName = cluster.clusterName;
    this.version = cluster.version;
    this.repositoryPath = cluster.repositoryPath;
  }

  async ask(method: string, target: string, { body, headers = {}, as, node = 0 }: Ask = {}): Promise<Answer> {
    const { bytes, type } = toBytes(body);
    const all: Record<string, string> = { ...authorization(as ?? this.transport.administrator), ...type };
    for (const [name, value] of Object.entries(headers)) {
      if (value === '') delete all[name.toLowerCase()];
      else all[name.toLowerCase()] = value;
    }
    const raw = await this.transport.send(method, target, all, bytes, node);
    return toAnswer(raw.status, raw.headers, raw.body);
  }

  get(target: string, ask: Ask = {}): Promise<Answer> {
    return this.ask('GET', target, ask);
  }

  put(target: string, body?: unknown, ask: Ask = {}): Promise<Answer> {
    return this.ask('PUT', target, { ...ask, body });
  }

  post(target: string, body?: unknown, ask: Ask = {}): Promise<Answer> {
    return this.ask('POST', target, { ...ask, body });
  }

  delete(target: string, ask: Ask = {}): Promise<Answer> {
    return this.ask('DELETE', target, ask);
  }

  /** Sends a request that must succeed for the case to be valid. */
  async must(method: string, target: string, ask: Ask = {}): Promise<Answer> {
    const answer = await this.ask(method, target, ask);
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${answer.text}`);
    return answer;
  }

  /** Sends a request and compares the response with the one recorded from a real server at this step. */
  async see(step: string, method: string, target: string, ask: Ask = {}, view: View = {}): Promise<Answer> {
    const answer = await this.ask(method, target, ask);
    const standIn = answer.headers[standInHeader];
    if (standIn !== undefined)
      throw new Error(`${method} ${target} is served by our ${standIn}, not by the server: it proves nothing`);
    this.compare(step, viewOf(answer, this, view));
    return answer;
  }

  /** Compares an observation with the recorded one. */
  compare(step: string, seen: Recorded): void {
    const key = `${this.#case} › ${step}`;
    if (recording) record(key, seen);
    // Soft: one difference must not hide the next.
    else expect.soft(seen, key).toEqual(recall(key));
  }

  /** Polls until `look` returns something. */
  async until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
    for (let waited = 0; waited < restMs; waited += 250) {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
      await this.transport.pass(250);
    }
    throw new Error(`${what} did not come about within ${restMs / 1000} s`);
  }

  /** Undoes something after the case, last in first out, also when the case failed. */
  cleanup(undo: () => Promise<unknown>): void {
    this.#undo.push(undo);
  }

  /** An index that is deleted after the case. Returns when its shards are active and no recovery runs. */
  async index(name: string, settings: Readonly<Record<string, unknown>> = {}, waitFor = 'green'): Promise<void> {
    this.cleanup(() => this.delete(`/${name}?ignore_unavailable=true`));
    await this.must('PUT', `/${name}`, { body: { settings } });
    if (waitFor === '') return;
    await this.health(name, waitFor);
    await this.rest();
  }

  /**
   * Waits until no shard of any index starts, moves or recovers. What deciders explain counts the recoveries of a node, whatever
   * index they are of: a case before this one, or the server itself, may have left some under way.
   */
  async rest(): Promise<void> {
    const wait = 'wait_for_no_relocating_shards=true&wait_for_no_initializing_shards=true';
    await this.until('a cluster without recoveries', async () => {
      const { body: health } = await this.get(`/_cluster/health?${wait}&timeout=30s`);
      const { body: recoveries } = await this.must('GET', '/_recovery?active_only=true');
      return health.timed_out === false && Object.keys(recoveries).length === 0;
    });
  }

  health(index: string, status = 'green'): Promise<Answer> {
    const wait = `wait_for_status=${status}&wait_for_no_relocating_shards=true&timeout=30s`;
    return this.must('GET', `/_cluster/health/${index}?${wait}`);
  }

  /** Cluster settings that are as before after the case. */
  async settings(persistent: Readonly<Record<string, unknown>>): Promise<Answer> {
    const nothing = Object.fromEntries(Object.keys(persistent).map((name) => [name, null]));
    this.cleanup(() => this.put('/_cluster/settings', { persistent: nothing }));
    return await this.must('PUT', '/_cluster/settings', { body: { persistent } });
  }

  /** Runs the clean-ups; returns the messages of those that failed. */
  async close(): Promise<readonly string[]> {
    const failures: string[] = [];
    for (const undo of this.#undo.reverse())
      await undo().catch((error: unknown) => failures.push(error instanceof Error ? error.message : String(error)));
    await this.transport.close();
    return failures;
  }
}

export function authorization(as: Credentials | 'nobody'): Record<string, string> {
  if (as === 'nobody' || as.username === '') return {};
  return { authorization: `Basic ${Buffer.from(`${as.username}:${as.password}`).toString('base64')}` };
}

function toBytes(body: unknown): { bytes: Uint8Array; type: Record<string, string> } {
  if (body === undefined) return { bytes: new Uint8Array(0), type: {} };
  if (body instanceof Uint8Array) return { bytes: body, type: {} };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { bytes: Buffer.from(text), type: { 'content-type': 'application/json' } };
}

export function toAnswer(status: number, headers: Readonly<Record<string, string>>, bytes: Uint8Array): Answer {
  const type = headers['content-type'] ?? '';
  const text = /cbor|smile/.test(type) ? '' : Buffer.from(bytes).toString();
  const body =
    text === '' ? undefined : /json/.test(type) ? JSON.parse(text) : /yaml/.test(type) ? parse(text) : undefined;
  return { status, headers, bytes, text, body };
}
