import { clients, World } from '@drover/cloud-world';
import { VirtualClock } from '@drover/core';
import { administratorOf } from './rehearsal.ts';
import type { ContractClients, OpenTarget, SessionCredentials } from './target.ts';
import { Cleanup, lookUntil } from './waiting.ts';

/** A world of its own for every test, on a clock that moves only when the test lets time go by. */
export class EmbeddedTarget implements OpenTarget {
  readonly clients: ContractClients;
  readonly embedded: World;
  readonly #clock: VirtualClock;
  readonly #cleanup = new Cleanup();
  #names = 0;

  /** Acts as an administrator: root may do things that AWS refuses to all other principals. */
  static async open(): Promise<EmbeddedTarget> {
    const clock = new VirtualClock();
    const world = new World({ clock });
    return new EmbeddedTarget(world, clock, await administratorOf(world));
  }

  private constructor(
    world: World,
    clock: VirtualClock,
    credentials: { readonly accessKeyId: string; readonly secretAccessKey: string },
  ) {
    this.embedded = world;
    this.#clock = clock;
    this.clients = clients(world, credentials);
  }

  clientsAs(credentials: SessionCredentials): ContractClients {
    return clients(this.embedded, credentials);
  }

  now(): number {
    return this.#clock.now();
  }

  pass(ms: number): Promise<void> {
    return this.#clock.advance(ms);
  }

  until<T>(what: string, look: () => Promise<T | undefined | false>, limitMs?: number, everyMs?: number): Promise<T> {
    return lookUntil(this, what, look, limitMs, everyMs);
  }

  uniqueName(prefix: string): string {
    this.#names += 1;
    return `drover-contract-${prefix}-${this.#names}`;
  }

  cleanup(undo: () => Promise<unknown>): void {
    this.#cleanup.add(undo);
  }

  cleanUp(): Promise<readonly string[]> {
    return this.#cleanup.run();
  }
}
