import { setTimeout as sleep } from 'node:timers/promises';
import { socketExchange } from '@drover/adapters/elasticsearch/client';
import { RealClock } from '@drover/core';
import type { EndedRun } from '@drover/stage/cluster';
import { SearchWorld, secretIds } from '../support/search-world.ts';

const address = new URL(process.env.DROVER_CONTRACT_ELASTICSEARCH!);
const ports = process.env.DROVER_CONTRACT_PORTS!.split(',').map(Number);
const nodeService = process.env.DROVER_CONTRACT_RESTART!;
const stepMs = 100;

/**
 * The real commands on instances of the embedded cloud whose search nodes are real: what a command asks of AWS and of
 * its host is embedded, port 9200 is a real server's. Virtual time goes on as fast as real time.
 */
export class RealWorld {
  readonly embedded: SearchWorld;
  /** Instances by the number of their node, from 0 on: a master and two data nodes. */
  readonly instances: readonly string[];

  private constructor(embedded: SearchWorld) {
    this.embedded = embedded;
    this.instances = [...embedded.inService('search'), ...embedded.inService('search-data')];
  }

  static async start(): Promise<RealWorld> {
    let world: RealWorld | undefined;
    const server = socketExchange({});
    const embedded = await SearchWorld.start({
      masters: 1,
      data: 2,
      cron: false,
      wrap: (io, { machine }) => {
        const at = world?.instances.indexOf(machine.instance.id) ?? -1;
        if (at < 0) return io;
        const act = async (what: 'stop' | 'start') => {
          const answer = await fetch(`${nodeService}/${what}/${at + 1}`, { method: 'POST' });
          if (!answer.ok) throw new Error(await answer.text());
        };
        return {
          ...io,
          clock: new RealClock(),
          exchange: (request) =>
            request.host.startsWith('169.254.')
              ? io.exchange(request)
              : server({ ...request, protocol: 'http', host: `127.0.0.1:${ports[at]}` }),
          search: { stop: () => act('stop'), start: () => act('start') },
        };
      },
    });
    world = new RealWorld(embedded);
    await embedded.aws('secretsmanager', 'PutSecretValue', {
      SecretId: secretIds.elastic,
      SecretString: decodeURIComponent(address.password),
    });
    return world;
  }

  /** Runs a command line on the instance of a node; virtual time follows real time meanwhile. */
  async run(at: number, commandLine: string): Promise<EndedRun> {
    let ended: EndedRun | undefined;
    const run = this.embedded.begin(this.instances[at]!, commandLine).then((end) => {
      ended = end;
    });
    while (ended === undefined) {
      await Promise.race([run, sleep(stepMs)]);
      await this.embedded.clock.advance(stepMs);
    }
    return ended;
  }

  /** One request to the real cluster as its superuser. */
  // biome-ignore lint/suspicious/noExplicitAny: cases look into responses of every shape
  async ask(method: string, path: string, body?: unknown): Promise<any> {
    const authorization = `Basic ${Buffer.from(`${address.username}:${address.password}`).toString('base64')}`;
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${ports[0]}${path}`, { method, headers, ...json });
    return await answer.json();
  }

  async green(): Promise<string> {
    const wait = 'wait_for_nodes=3&wait_for_status=green&wait_for_no_relocating_shards=true&timeout=120s';
    return (await this.ask('GET', `/_cluster/health?${wait}`)).status;
  }

  /** Shards on a node, as `index/shard`. */
  async shardsOn(at: number): Promise<readonly string[]> {
    const rows = (await this.ask('GET', '/_cat/shards?format=json&h=index,shard,node')) as Record<string, string>[];
    return rows.filter(({ node }) => node === `node-${at + 1}`).map(({ index, shard }) => `${index}/${shard}`);
  }
}
