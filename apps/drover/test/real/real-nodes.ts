import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { asFetch, type HttpRequest, type HttpResponse } from '@drover/cloud-engine';
import { World } from '@drover/cloud-world';
import { describeError, RealClock, VirtualClock } from '@drover/core';
import { type DeployedClusterOptions, installedVersion } from '@drover/stage/cluster';
import { ClusterStage } from '@drover/stage/testing';
import { main } from '../../src/main.ts';
import { type Answer, memoryIo } from '../memory-io.test-support.ts';

const address = new URL(process.env.DROVER_CONTRACT_ELASTICSEARCH!);
const password = decodeURIComponent(address.password);
const nodeService = process.env.DROVER_CONTRACT_RESTART!;
const agent = new Agent({ keepAlive: true });
const stepMs = 50;
const longestRequestMs = 65_000;
/** Simulated time goes this much faster than real time. */
const pace = 4;
/** The embedded cloud begins earlier by this, or it would overtake the clocks of the real servers. */
const headStartMs = 40 * 60_000;
/** Longer than a deployment takes. */
const formingMs = 2 * 3_600_000;

/** A real node, and the instance whose node it is. */
interface RealNode {
  readonly number: number;
  readonly url: URL;
  readonly instanceId: string;
  readonly privateIp: string;
}

/**
 * A cluster deployed from its template on the embedded cloud, whose search nodes are real: all that goes to an instance's
 * Elasticsearch, from programs on it, through load balancers or by functions, goes to a real server. AWS, hosts, packages and Puppet are
 * embedded. The only other difference: a server says the address of an instance instead of its own on this machine.
 */
export class RealNodes {
  readonly stage: ClusterStage;
  readonly nodes: readonly RealNode[];
  readonly #clock = new RealClock();
  readonly #modelLogin: string;

  private constructor(stage: ClusterStage) {
    this.stage = stage;
    this.#modelLogin = basicAuth('elastic', stage.deployed.elasticPassword());
    const { deployed, groups, world } = stage;
    const zoneOf = (id: string) => world.observe.instance(id)!.availabilityZone;
    const inOrder = (group: string) => [...deployed.inService(group)].sort((a, b) => (zoneOf(a) < zoneOf(b) ? -1 : 1));
    const instances = [...inOrder(groups.master), ...inOrder(groups.data)];
    this.nodes = process.env.DROVER_REAL_NODES!.split(',').map((url, at) => ({
      number: at + 1,
      url: new URL(url),
      instanceId: instances[at]!,
      privateIp: world.observe.instance(instances[at]!)!.privateIp,
    }));
  }

  static async start(inputs: Parameters<typeof ClusterStage.open>[0]): Promise<RealNodes> {
    let real: RealNodes | undefined;
    const wrap: DeployedClusterOptions['wrap'] = (io, { machine }) => {
      const node = real?.nodes.find(({ instanceId }) => instanceId === machine.instance.id);
      if (node === undefined) return io;
      const act = (what: string) => acted(`/${what}`);
      return {
        ...io,
        clock: new RealClock(),
        search: {
          stop: () => act(`stop/${node.number}`),
          start: () => act(`start/${node.number}/${installedVersion(machine)}`),
        },
      };
    };
    const clock = new VirtualClock(new RealClock().now() - headStartMs - formingMs);
    const stage = await ClusterStage.open(inputs, 1, { world: new World({ clock, seed: 1 }), wrap });
    real = new RealNodes(stage);
    real.#takeOver();
    await real.#alignClocks();
    await stage.deployed.aws('secretsmanager', 'PutSecretValue', {
      SecretId: stage.deployed.facts.elastic_secret,
      SecretString: password,
    });
    return real;
  }

  /** Real nodes stand at the addresses of the instances, and at the loopback address of each. */
  #takeOver(): void {
    const at = (host: string, origin: { readonly kind: string; readonly name: string }) =>
      this.nodes.find(
        ({ privateIp, instanceId }) =>
          privateIp === host || (host.startsWith('127.') && origin.kind === 'machine' && origin.name === instanceId),
      );
    const { network } = this.stage.world;
    network.register(
      (host, origin) => at(host, origin) !== undefined,
      (request, origin) => {
        const node = at(request.host.split(':')[0]!, origin)!;
        // The module that knows what an upgrade would break is in no distribution on Maven.
        return request.path.startsWith('/_migration/') ? this.#askModel(request, node) : this.#forward(request, node);
      },
    );
  }

  #askModel(request: HttpRequest, { instanceId }: RealNode): Promise<HttpResponse> {
    const headers = { ...request.headers, authorization: this.#modelLogin };
    return this.stage.deployed.nodeOf(instanceId).handle({ ...request, headers });
  }

  async #forward(request: HttpRequest, { url }: RealNode): Promise<HttpResponse> {
    const { status, headers, body } = await sent(request, url);
    return { status, headers, body: this.#seenFromOutside(body) };
  }

  #seenFromOutside(text: string): string {
    return text.replaceAll(
      /127\.0\.0\.\d+(?=[:"])/g,
      (own) => this.nodes.find(({ url }) => url.hostname === own)?.privateIp ?? own,
    );
  }

  /** Records and snapshots have the servers' time: the embedded cloud stays a little behind it. */
  async #alignClocks(): Promise<void> {
    const behind = this.#clock.now() - headStartMs - this.stage.clock.now();
    if (behind < 0) throw new Error('the embedded cloud is ahead of the real servers');
    await this.stage.clock.advance(behind);
  }

  /** Lets simulated time go on beside real time until the work is done. */
  async during<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    const end = () => {
      ended = true;
    };
    work.then(end, end);
    while (!ended) {
      await sleep(stepMs);
      await this.stage.clock.advance(pace * stepMs);
    }
    return await work;
  }

  /** `drover` as an operator runs it, by real time. */
  drover(...argv: string[]): Promise<Answer> {
    const { aws, world } = this.stage;
    const { io, said } = memoryIo({
      clock: this.#clock,
      fetch: asFetch(world.network.from({ kind: 'operator', name: 'operator' })),
      aws: async () => ({ ...aws, secrets: aws.secretsmanager }),
    });
    return this.during(main([...argv], io).then((exitCode) => ({ exitCode, ...said })));
  }

  now(): number {
    return this.#clock.now();
  }

  /** One request of a client by the cluster's address; returns the status, or the reason why there is none. */
  async client(method: string, path: string, body: object): Promise<string> {
    const send = asFetch(this.stage.world.network.from({ kind: 'operator', name: 'client' }));
    const authorization = basicAuth('elastic', password);
    const headers = { authorization, 'content-type': 'application/json' };
    try {
      const url = `https://logs.search.example.com${path}`;
      const { status } = await send(url, { method, headers, body: JSON.stringify(body) });
      return String(status);
    } catch (error) {
      return describeError(error);
    }
  }

  /** The version that each node says. */
  async versions(): Promise<readonly string[]> {
    const { nodes } = await this.ask('GET', '/_nodes?filter_path=nodes.*.version');
    return Object.values(nodes as Record<string, { version: string }>).map(({ version }) => version);
  }

  /** One request to a real node as its superuser. */
  // biome-ignore lint/suspicious/noExplicitAny: cases look into responses of every shape
  async ask(method: string, path: string, body?: unknown, node = this.nodes[0]!): Promise<any> {
    const authorization = basicAuth('elastic', password);
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(new URL(path, node.url), { method, headers, ...json });
    const said = await answer.json();
    if (!answer.ok && answer.status !== 404)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(said)}`);
    return said;
  }
}

/** Over a socket; unlike `fetch` also a GET with a body. */
function sent(
  { method, path, query, headers, body }: HttpRequest,
  to: URL,
): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  const { 'accept-encoding': _, 'content-length': __, ...kept } = headers;
  const target = `${path}${query === '' ? '' : `?${query}`}`;
  const length = body.length === 0 ? {} : { 'content-length': String(body.length) };
  const { hostname: host, port } = to;
  const options = { method, host, port, path: target, timeout: longestRequestMs, agent };
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ ...options, headers: { ...kept, ...length, host: to.host } }, async (answer) => {
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part as Buffer);
      const { 'content-length': ___, 'transfer-encoding': ____, ...shown } = answer.headers;
      const flat = Object.entries(shown).map(([name, value]) => [name, [value].flat().join(', ')]);
      const text = Buffer.concat(parts).toString();
      resolve({ status: answer.statusCode!, headers: Object.fromEntries(flat), body: text });
    });
    asked.once('error', reject).once('timeout', () => asked.destroy(new Error('no response')));
    asked.end(body);
  });
}

const basicAuth = (user: string, secret: string) => `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;

async function acted(path: string): Promise<void> {
  const answer = await fetch(`${nodeService}${path}`, { method: 'POST' });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
}
