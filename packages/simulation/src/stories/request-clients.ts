import { basicAuth } from '@drover/adapters/elasticsearch/client';
import { asFetch } from '@drover/cloud-engine';
import type { DeployedCluster } from '@drover/stage/cluster';

const giveUpMs = 30_000;
const againMs = 1_000;

/** A request that failed with 5xx, or got no response. */
interface Failure {
  readonly at: number;
  readonly what: string;
}

/**
 * Clients of a cluster's addresses: one sends each request once, the other tries for 30 seconds. Both read and
 * write through the load balancers of the masters and of the data nodes.
 */
export class RequestClients {
  /** Requests that were sent once. */
  sent = 0;
  readonly failures: Failure[] = [];
  /** Requests that the patient client gave up. */
  readonly givenUp: Failure[] = [];
  readonly #deployed: DeployedCluster;
  readonly #zone: string;
  readonly #everyMs: number;
  readonly #send: typeof fetch;
  #stopped = false;

  constructor(deployed: DeployedCluster, zone: string, everyMs = 2_000) {
    this.#deployed = deployed;
    this.#zone = zone;
    this.#everyMs = everyMs;
    this.#send = asFetch(deployed.world.network.from({ kind: 'operator', name: 'client' }));
  }

  start(index: string): void {
    const { clock, clusterName } = this.#deployed;
    const tick = (round: number) => {
      if (this.#stopped) return;
      for (const host of [clusterName, `${clusterName}-data`]) {
        void this.#once(host, 'GET', `/${index}/_count`);
        void this.#once(host, 'PUT', `/${index}/_doc/${round % 100}`);
        void this.#patient(host, 'PUT', `/${index}/_doc/${100 + (round % 100)}`);
      }
      clock.after(this.#everyMs, () => tick(round + 1));
    };
    tick(0);
  }

  stop(): void {
    this.#stopped = true;
  }

  async #once(host: string, method: string, path: string): Promise<void> {
    const { clock } = this.#deployed;
    const at = clock.now();
    this.sent += 1;
    const failed = await this.#try(host, method, path);
    if (failed !== undefined) this.failures.push({ at, what: `${method} ${host}: ${failed}` });
  }

  async #patient(host: string, method: string, path: string): Promise<void> {
    const { clock } = this.#deployed;
    const at = clock.now();
    for (;;) {
      const failed = await this.#try(host, method, path);
      if (failed === undefined) return;
      if (clock.now() - at >= giveUpMs) return void this.givenUp.push({ at, what: `${method} ${host}: ${failed}` });
      await clock.sleep(againMs);
    }
  }

  /** Why it failed; undefined when it did not. */
  async #try(host: string, method: string, path: string): Promise<string | undefined> {
    const headers = {
      authorization: basicAuth('elastic', this.#deployed.elasticPassword()),
      'content-type': 'application/json',
    };
    const body = method === 'GET' ? {} : { body: '{"a":1}' };
    const sent = this.#send(`https://${host}.${this.#zone}${path}`, { method, headers, ...body });
    return await sent.then(
      ({ status }) => (status >= 500 ? String(status) : undefined),
      (error: Error) => error.message,
    );
  }
}
