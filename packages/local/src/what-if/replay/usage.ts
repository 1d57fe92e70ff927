import type { Instance } from '@drover/cloud-machines';
import type { World } from '@drover/cloud-world';
import type { Usage } from '@drover/operator/fleet/prices';

interface Stay {
  readonly instance: Instance;
  readonly state: string;
  readonly sinceMs: number;
}

const hourMs = 3_600_000;

/** Follows every instance through its states, as the bill does. */
export class UsageMeter {
  readonly #world: World;
  readonly #stays = new Map<string, Stay>();
  readonly #running = { onDemand: new Map<string, number>(), spot: new Map<string, number>() };
  #hibernatedMs = 0;
  #volumeMs = 0;
  #peakRunning = 0;
  #sinceMs = Number.POSITIVE_INFINITY;

  constructor(world: World) {
    this.#world = world;
    world.observe.onInstanceState((instance) => this.#moved(instance));
  }

  /** Instances that run now. */
  get running(): number {
    return [...this.#stays.values()].filter(({ state }) => state === 'running').length;
  }

  /** From now on it counts. */
  begin(): void {
    this.#sinceMs = this.#world.engine.clock.now();
    this.#peakRunning = this.running;
  }

  /** The usage since `begin`. */
  read(): Usage {
    for (const { instance } of [...this.#stays.values()]) this.#moved(instance);
    const inHours = (ms: ReadonlyMap<string, number>) =>
      new Map([...ms].map(([type, value]) => [type, value / hourMs]));
    return {
      runningHours: { onDemand: inHours(this.#running.onDemand), spot: inHours(this.#running.spot) },
      hibernatedHours: this.#hibernatedMs / hourMs,
      volumeHours: this.#volumeMs / hourMs,
      peakRunning: this.#peakRunning,
    };
  }

  #moved(instance: Instance): void {
    const nowMs = this.#world.engine.clock.now();
    const before = this.#stays.get(instance.id);
    if (before !== undefined) this.#count(before, nowMs - Math.max(before.sinceMs, this.#sinceMs));
    if (instance.state === 'terminated') this.#stays.delete(instance.id);
    else this.#stays.set(instance.id, { instance, state: instance.state, sinceMs: nowMs });
    if (instance.state === 'running') this.#peakRunning = Math.max(this.#peakRunning, this.running);
  }

  /** EC2 user guide, "Amazon EC2 instance state changes": running is billed, stopping only on the way to hibernation; volumes always are. */
  #count({ instance, state }: Stay, forMs: number): void {
    if (forMs <= 0) return;
    this.#volumeMs += forMs;
    if (state === 'stopped') this.#hibernatedMs += forMs;
    if (state !== 'running' && !(state === 'stopping' && instance.hibernationConfigured)) return;
    const hours = instance.spot ? this.#running.spot : this.#running.onDemand;
    hours.set(instance.instanceType, (hours.get(instance.instanceType) ?? 0) + forMs);
  }
}
