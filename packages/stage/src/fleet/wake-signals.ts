import type { World } from '@drover/cloud-world';
import { Changes } from './changes.ts';

/** How late an agent that looks every so often notices what happened to its instance. */
const noticedWithinMs = 15_000;

/** The bells of all machines. A transition of an instance, and its spot notice, rings its bell as late as a look at the metadata would see it. */
export class Bells {
  readonly #bells = new Map<string, Changes>();

  constructor(world: World) {
    const { clock, journal } = world.engine;
    const random = world.engine.random.fork('bells');
    const ring = (instanceId: string) => {
      if (!this.#bells.has(instanceId)) return;
      clock.after(random.int(0, noticedWithinMs), () => this.#bells.get(instanceId)?.ring());
    };
    world.aws.ec2.onSpotNotice(({ id }) => ring(id));
    journal.subscribe(({ source, kind, name, subject = '' }) => {
      if (source !== 'aws.autoscaling' || kind !== 'transition') return;
      ring(subject);
      if (name.endsWith('Terminated')) clock.after(noticedWithinMs, () => this.#bells.delete(subject));
    });
  }

  of(instanceId: string): Changes {
    const bell = this.#bells.get(instanceId) ?? new Changes();
    this.#bells.set(instanceId, bell);
    return bell;
  }
}
