import type { Random } from '@drover/core';
import type { DeployedCluster } from './deployed-cluster.ts';

/** Writes one document after the other through changing nodes, and remembers which were acknowledged. */
export class DocumentWriter {
  /** Ids of the documents whose writing was acknowledged, by index. */
  readonly acknowledged: ReadonlyMap<string, Set<string>>;
  readonly #deployed: DeployedCluster;
  readonly #random: Random;
  readonly #everyMs: number;
  readonly #different: number;
  #written = 0;
  #stopped = false;
  #refusedSince: number | undefined;
  /** Longest time from a refused write until one that began later was acknowledged. */
  longestRefusalMs = 0;

  /** After `different` documents the first are written again: a world that goes on for weeks must not grow. */
  constructor(
    deployed: DeployedCluster,
    random: Random,
    indices: readonly string[],
    everyMs: number,
    different = Number.POSITIVE_INFINITY,
  ) {
    this.#deployed = deployed;
    this.#random = random;
    this.#everyMs = everyMs;
    this.#different = different;
    this.acknowledged = new Map(indices.map((index) => [index, new Set<string>()]));
  }

  get count(): number {
    return [...this.acknowledged.values()].reduce((sum, ids) => sum + ids.size, 0);
  }

  /** Writes until `stop`. */
  start(): void {
    const tick = () => {
      if (this.#stopped) return;
      void this.#write();
      this.#deployed.clock.after(this.#everyMs, tick);
    };
    tick();
  }

  stop(): void {
    this.#stopped = true;
  }

  /** A write may fail or hang, as the faults have it: only what was acknowledged counts. */
  async #write(): Promise<void> {
    const up = [...this.#deployed.nodes.values()].filter(({ running }) => running);
    if (up.length === 0) return;
    const index = this.#random.pick([...this.acknowledged.keys()]);
    const id = String(this.#written++ % this.#different);
    const startedAt = this.#deployed.clock.now();
    const path = `/${index}/_doc/${id}?timeout=30s`;
    const answer = await this.#deployed
      .ask<{ result?: string }>('PUT', path, { id }, this.#random.pick(up))
      .catch(() => undefined);
    const written = answer?.result === 'created' || answer?.result === 'updated';
    if (written) this.acknowledged.get(index)!.add(id);
    this.#noteRefusal(written, startedAt);
  }

  #noteRefusal(written: boolean, startedAt: number): void {
    if (!written) this.#refusedSince = Math.min(this.#refusedSince ?? startedAt, startedAt);
    if (this.#refusedSince === undefined || (written && startedAt < this.#refusedSince)) return;
    const forMs = this.#deployed.clock.now() - this.#refusedSince;
    this.longestRefusalMs = Math.max(this.longestRefusalMs, forMs);
    if (written) this.#refusedSince = undefined;
  }

  /** Acknowledged documents that cannot be found any more, as `index/id`. */
  async missing(): Promise<readonly string[]> {
    const lost: string[] = [];
    for (const [index, ids] of this.acknowledged)
      for (const batch of batchesOf([...ids], 1_000)) {
        const { docs } = await this.#deployed.search<{ docs: { _id: string; found?: boolean }[] }>(
          'POST',
          `/${index}/_mget?_source=false`,
          { ids: batch },
        );
        for (const { _id, found } of docs) if (found !== true) lost.push(`${index}/${_id}`);
      }
    return lost;
  }
}

function* batchesOf<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}
