import type { JournalEntry } from '@drover/cloud-engine';
import type { FleetWatch } from '../checkers/fleet-watch.ts';
import type { Launch } from './launches.ts';

interface Noted {
  readonly instanceId: string;
  readonly at: number;
  servedAt: number | undefined;
  struck: boolean;
}

const keptMs = 3 * 3_600_000;

/** Facts of an instance for the watch of launches. */
interface InstanceFacts {
  isOurs(instanceId: string): boolean;
  /** Made for the mode before, as members of a warm pool are: it gives its place up, and no boot of today has failed. */
  isOfOtherMode(instanceId: string): boolean;
}

/** Follows the launches into a group, from the warm pool too. */
export class LaunchWatch {
  readonly #watch: Pick<FleetWatch, 'fateOf'>;
  readonly #facts: InstanceFacts;
  #noted: Noted[] = [];
  readonly #byId = new Map<string, Noted>();

  constructor(watch: Pick<FleetWatch, 'fateOf'>, facts: InstanceFacts) {
    this.#watch = watch;
    this.#facts = facts;
  }

  /** Notes an event of an instance of this group, or of one that is not known yet. */
  note({ kind, source, name, subject = '', at }: JournalEntry): void {
    // A boot that takes longer is no failed one.
    if (kind === 'fault' && name !== 'slow-boot') this.#strike(subject);
    if (source !== 'aws.autoscaling' || kind !== 'transition') return;
    const [from, to] = name.split(' -> ');
    if (to === 'Pending' && from !== 'Pending' && this.#facts.isOurs(subject)) this.#begin(subject, at);
    const known = this.#byId.get(subject);
    if (known === undefined) return;
    if (to === 'InService') known.servedAt ??= at;
    if (to === 'Terminating' && this.#facts.isOfOtherMode(subject)) known.struck = true;
  }

  /** While something is in the way of every launch, none that is under way counts as failed by us. */
  strikeAll(): void {
    for (const launch of this.#noted) if (launch.servedAt === undefined) launch.struck = true;
  }

  /** Of the last hours, oldest first. */
  recent(now: number): readonly Launch[] {
    const old = this.#noted.filter(({ at }) => at < now - keptMs);
    for (const { instanceId } of old) this.#byId.delete(instanceId);
    if (old.length > 0) this.#noted = this.#noted.filter(({ at }) => at >= now - keptMs);
    return this.#noted.map((launch) => {
      const { terminatingAt, begunBy, crashedAt, reclaimedAt } = this.#watch.fateOf(launch.instanceId);
      const struck = launch.struck || crashedAt !== undefined || reclaimedAt !== undefined;
      return { ...launch, struck, endedAt: terminatingAt, begunBy };
    });
  }

  #begin(instanceId: string, at: number): void {
    const launch: Noted = { instanceId, at, servedAt: undefined, struck: false };
    this.#noted.push(launch);
    this.#byId.set(instanceId, launch);
  }

  #strike(subject: string): void {
    const [instanceId = ''] = /\bi-[0-9a-f]{17}\b/.exec(subject) ?? [];
    const known = this.#byId.get(instanceId);
    if (known !== undefined) known.struck = true;
  }
}
