import type { ContractTarget } from './contract-target.ts';
import type { Need } from './needs.ts';

/**
 * A server of the lane has node shutdown by a plugin of ours: what it does is the server's, and is recorded (`see`); what
 * the API says is the plugin's, and is only compared with what the documentation says.
 */
export const needs: readonly Need[] = ['three data nodes', 'node shutdown'];

export const remove = { type: 'remove', reason: 'contract' };
export const restart = { type: 'restart', reason: 'contract' };

export interface Shutdown {
  readonly type: string;
  readonly status: string;
  readonly allocation_delay?: string;
  readonly shutdown_startedmillis: number;
  readonly shard_migration: {
    readonly status: string;
    readonly shard_migrations_remaining: number;
    readonly explanation?: string;
    readonly node_allocation_decision?: Readonly<Record<string, unknown>>;
  };
}

/** Nodes by their position, and their records, which are deleted after the case. */
export class Shutdowns {
  readonly #target: ContractTarget;

  constructor(target: ContractTarget) {
    this.#target = target;
    target.cleanup(async () => {
      for (const { id } of target.nodes) await target.delete(`/_nodes/${id}/shutdown`);
      await target.rest();
    });
  }

  name = (at: number) => this.#target.nodes[at]!.name;

  path = (at: number) => `/_nodes/${this.#target.nodes[at]!.id}/shutdown`;

  put = (at: number, body: object) => this.#target.must('PUT', this.path(at), { body });

  delete = (at: number) => this.#target.must('DELETE', this.path(at));

  async of(at: number): Promise<Shutdown> {
    return (await this.#target.must('GET', this.path(at))).body.nodes[0];
  }

  /** A shard that cannot move yet may be reported as STALLED before the others have begun to move. */
  async ends(at: number, status: string): Promise<Shutdown> {
    return await this.#target.until(`${status} of ${this.name(at)}`, async () => {
      const seen = await this.of(at);
      return seen.status === status && seen;
    });
  }

  /** The copies on a node, as `index/shard`. */
  async copiesOn(at: number, index: string): Promise<string[]> {
    const rows = (await this.#target.must('GET', `/_cat/shards/${index}?format=json&h=index,shard,node,state`)).body;
    return (rows as { index: string; shard: string; node: string | null }[])
      .filter(({ node }) => node?.split(' ')[0] === this.name(at))
      .map((row) => `${row.index}/${row.shard}`);
  }

  /** An index whose only copy is on this node, and may leave it. */
  async only(at: number, index: string): Promise<void> {
    const key = 'index.routing.allocation.require._name';
    await this.#target.index(index, { number_of_shards: 1, number_of_replicas: 0, [key]: this.name(at) });
    await this.#target.must('PUT', `/${index}/_settings`, { body: { [key]: null } });
  }
}
