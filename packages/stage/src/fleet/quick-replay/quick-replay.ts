import type { World } from '@drover/cloud-world';
import type { Clock } from '@drover/core';
import { injectPrograms } from '../injected-functions.ts';
import { type AnyCall, everyService, type MixedTransport, type ProgramAws } from '../program-services.ts';
import { inTurn } from './in-turn.ts';
import { replayedRuntime } from './replayed-runtime.ts';

/**
 * The second way to play a world: while it is on, calls of agents and functions skip the wire, and functions that begin
 * run from source. It leaves the state that the wire leaves, for less processor time; one test holds it to that
 * (`packages/local/test/quick-replay.test.ts`).
 */
export class QuickReplay implements MixedTransport {
  on: boolean;
  readonly #world: World;

  constructor(world: World, on: boolean) {
    this.#world = world;
    this.on = on;
  }

  mix(wire: ProgramAws, direct: ProgramAws, clock: Clock): ProgramAws {
    return inTurn(this.choose(wire, direct), clock);
  }

  /**
   * Each call goes the way that is chosen when it is made. One that a fault may strike takes the wire: trying again and
   * being broken off by a hibernation are the client's work.
   */
  choose(wire: ProgramAws, direct: ProgramAws): ProgramAws {
    return everyService((service) => (operation, input) => {
      const skips = this.on && !this.#world.engine.faults.mayStrike({ service, operation });
      return ((skips ? direct : wire)[service] as AnyCall)(operation, input);
    });
  }

  /** For environments that begin while it is on; the others run the bundles, and each keeps to what it began with. */
  injectFunctions(groupName: string): void {
    const runtimeOf = (environment: Parameters<typeof replayedRuntime>[1]) =>
      replayedRuntime(this.#world, environment, (wire, direct) => this.choose(wire, direct));
    injectPrograms(this.#world, groupName, runtimeOf, () => this.on);
  }
}
