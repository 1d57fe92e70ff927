import { setTimeout as sleep } from 'node:timers/promises';
import type { RealNodes } from './real-nodes.ts';

const pauseMs = 200;

/** Writes one document after the other through the load balancer, as a client does, and repeats each until it is acknowledged. */
export class RealWriter {
  /** Ids of the documents whose writing was acknowledged. */
  readonly acknowledged = new Set<string>();
  /** Statuses and errors of requests without an acknowledgement, in order. */
  readonly refused: string[] = [];
  readonly #real: RealNodes;
  readonly #index: string;
  #stopped = false;
  #ended: Promise<void> = Promise.resolve();

  constructor(real: RealNodes, index: string) {
    this.#real = real;
    this.#index = index;
  }

  start(): void {
    this.#stopped = false;
    this.#ended = this.#write();
  }

  async #write(): Promise<void> {
    for (let next = this.acknowledged.size; !this.#stopped; await sleep(pauseMs)) {
      const id = String(next);
      const end = await this.#real.client('PUT', `/${this.#index}/_doc/${id}?timeout=10s`, { id });
      if (end.startsWith('20')) {
        this.acknowledged.add(id);
        next += 1;
      } else this.refused.push(end);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#real.during(this.#ended);
  }

  /** Acknowledged documents that are not there any more. */
  async missing(): Promise<readonly string[]> {
    const ids = [...this.acknowledged];
    if (ids.length === 0) return [];
    const { docs } = await this.#real.ask('POST', `/${this.#index}/_mget?_source=false`, { ids });
    return docs.filter(({ found }: { found?: boolean }) => found !== true).map(({ _id }: { _id: string }) => _id);
  }
}
