import type { SearchWorld } from './search-world.ts';

/** Watches a cluster while a story goes on; what must never be is remembered with the moment. */
export class Invariants {
  readonly violations: string[] = [];
  /** Documents whose writing was acknowledged. */
  readonly acknowledged = new Set<string>();
  readonly #world: SearchWorld;
  #stopped = false;
  #written = 0;
  #drainingSince: number | undefined;

  constructor(world: SearchWorld) {
    this.#world = world;
  }

  /** How often it looks and writes. */
  everyMs = 20_000;

  /** Looks and writes until `stop`. */
  start(): void {
    const tick = () => {
      if (this.#stopped) return;
      void this.#look();
      this.#world.clock.after(this.everyMs, tick);
    };
    tick();
  }

  /** Looks for what may be left behind at the end. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const { hits } = await this.#world.search<{ hits: { total: { value: number } } }>(
      'GET',
      '/logs,solo/_search?size=0&track_total_hits=true',
    );
    if (hits.total.value < this.acknowledged.size)
      this.violated(`${this.acknowledged.size - hits.total.value} acknowledged documents are lost`);
    const present = new Set([...this.#world.nodes.values()].map(({ id }) => id));
    for (const { node_id } of await this.#world.records())
      if (!present.has(node_id as string)) this.violated(`the record of ${node_id} was left behind`);
    const { metadata } = await this.#world.search<{
      metadata: { cluster_coordination: { voting_config_exclusions: unknown[] } };
    }>('GET', '/_cluster/state/metadata?filter_path=metadata.cluster_coordination');
    if (metadata.cluster_coordination.voting_config_exclusions.length > 0)
      this.violated('voting exclusions were left behind');
    if ((await this.#world.health()) !== 'green') this.violated('the cluster did not get green again');
  }

  async #look(): Promise<void> {
    try {
      await this.#write();
      const { status } = await this.#world.ask<{ status: unknown }>('GET', '/_cluster/health');
      if (typeof status === 'number') return this.violated(`no master: health returned ${status}`);
      if (status === 'red') this.violated('the cluster is red');
      await this.#countDrains();
    } catch (error) {
      this.violated(`cannot look: ${(error as Error).message}`);
    }
  }

  async #write(): Promise<void> {
    const id = String(this.#written++);
    const answer = await this.#world.ask<{ result?: string }>(
      'PUT',
      `/${this.#written % 2 === 0 ? 'logs' : 'solo'}/_doc/${id}`,
      { id },
    );
    if (answer.result === 'created') this.acknowledged.add(id);
  }

  /** Two at the same moment happens; one of them must yield before the next scheduled run is over. */
  async #countDrains(): Promise<void> {
    const present = new Set([...this.#world.nodes.values()].filter(({ running }) => running).map(({ id }) => id));
    const draining = (
      await this.#world.ask<{ nodes: Record<string, unknown>[] }>('GET', '/_nodes/shutdown')
    ).nodes.filter(({ node_id, reason }) => present.has(node_id as string) && !String(reason).includes('[gave up'));
    const now = this.#world.clock.now();
    if (draining.length <= 1) this.#drainingSince = undefined;
    else this.#drainingSince ??= now;
    if (this.#drainingSince !== undefined && now - this.#drainingSince > this.overlapLimitMs)
      this.violated(`${draining.length} nodes drain at the same time`);
  }

  /** How long two records may exist side by side. */
  overlapLimitMs = 0;

  /** Remembers what must never be, with the moment. */
  violated(what: string): void {
    this.violations.push(`${new Date(this.#world.clock.now()).toISOString()} ${what}`);
  }
}
