import { superuser } from '@drover/core/names/search-cluster';
import type { ClusterStage } from '@drover/stage/testing';
import { letsIn, type ShownSecret } from './credentials.ts';
import { reachable } from './year-faults.ts';

const retryMs = 30_000;
const stages = ['AWSCURRENT', 'AWSPENDING', 'AWSPREVIOUS'] as const;

export interface YearSecrets {
  readonly elastic: ShownSecret;
  readonly exporter: ShownSecret;
}

/**
 * The clients of the cluster: a program that has read the password of `elastic` and reads it again when it is refused, the exporter of
 * each node, which its unit starts again with another password, and users of the web UI. Each may be refused once, and not 30 seconds later.
 */
export class Clients {
  readonly refused: string[] = [];
  /** How often one was refused and let in at its retry. */
  retries = 0;
  checks = 0;
  readonly #stage: ClusterStage;
  readonly #secrets: YearSecrets;
  readonly #exporters = new Map<string, string>();
  #held = '';

  constructor(stage: ClusterStage, secrets: YearSecrets) {
    this.#stage = stage;
    this.#secrets = secrets;
  }

  /** Everyone logs in. While nodes are away the web UI may not reach the cluster. */
  async look(calm: boolean): Promise<void> {
    for (const id of reachable(this.#stage)) await this.#exporter(id);
    await this.#program();
    if (calm) await this.#webUi();
  }

  async #program(): Promise<void> {
    const [host] = reachable(this.#stage, this.#stage.groups.master);
    await this.#retried('the program that logs in as elastic', async () => {
      if ((await letsIn(this.#stage, host!, superuser, this.#held)) !== false) return true;
      this.#held = (await this.#worksNow(host!, superuser, this.#secrets.elastic)) ?? this.#held;
      return (await letsIn(this.#stage, host!, superuser, this.#held)) !== false;
    });
  }

  /** As search-exporter and exporter-password do it: a refused one ends, and starts with the version that lets in. */
  async #exporter(id: string): Promise<void> {
    await this.#retried(`the exporter on ${id}`, async () => {
      const held = this.#exporters.get(id);
      if (held !== undefined && (await letsIn(this.#stage, id, 'exporter', held)) !== false) return true;
      const now = await this.#worksNow(id, 'exporter', this.#secrets.exporter);
      if (now !== undefined) this.#exporters.set(id, now);
      return held === undefined;
    });
  }

  async #webUi(): Promise<void> {
    await this.#retried(
      'the web UI',
      async () => (await this.#stage.get('kibana', '/api/status', 'nobody')).status === 200,
    );
  }

  async #worksNow(host: string, user: string, secret: ShownSecret): Promise<string | undefined> {
    for (const stage of stages) {
      const value = await secret.value(stage);
      if (value !== undefined && (await letsIn(this.#stage, host, user, value)) === true) return value;
    }
    return undefined;
  }

  async #retried(who: string, attempt: () => Promise<boolean>): Promise<void> {
    this.checks += 1;
    if (await attempt()) return;
    this.retries += 1;
    await this.#stage.clock.advance(retryMs);
    if (!(await attempt())) this.refused.push(`${new Date(this.#stage.clock.now()).toISOString()}: ${who} is refused`);
  }
}
