import { every, type JournalEntry } from '@drover/cloud-engine';
import type { Job } from '@drover/cloud-github';
import { functionName } from '@drover/core/names/runner-fleet';
import type { DeployedFleet } from '@drover/stage/fleet';

const minute = 60_000;
/** Most undisturbed minutes that a runner may be there without its instance. */
const mostMinutes = 20;

/** Watches a fleet in jobs mode: one job for each machine, and no runner without one. */
export class JobsWatch {
  readonly #fleet: DeployedFleet;
  readonly #expect: (holds: boolean, violation: string) => void;
  /** Jobs that began on each instance. */
  readonly #begun = new Map<string, Set<number>>();
  /** How many good minutes each runner at the service has been without an instance. */
  readonly #withoutInstance = new Map<string, number>();
  #windows = 0;
  #stopped = false;
  #failed = false;

  constructor(fleet: DeployedFleet, expect: (holds: boolean, violation: string) => void) {
    this.#fleet = fleet;
    this.#expect = expect;
    fleet.world.engine.journal.subscribe((entry) => this.#note(entry));
    fleet.codeHost.registry.queue.onEnded((job) => this.#ended(job));
    every(fleet.clock, minute, () => this.#look());
  }

  /** The fleet is no longer in jobs mode. */
  stop(): void {
    this.#stopped = true;
  }

  /** Once faults have stopped: every job had its machine, and the service has no runner but those of hosts that serve. */
  checkAtRest(): void {
    const { registry } = this.#fleet.codeHost;
    const waiting = registry.queue.waiting.map(({ id }) => id);
    this.#expect(waiting.length === 0, `the jobs ${waiting.join(', ')} still wait for a runner`);
    const serving = new Set(this.#serving());
    for (const { name } of registry.runners)
      this.#expect(serving.has(name), `runner ${name} is left at the service without an instance that serves`);
  }

  /** A window of the demand function came through when it succeeded and no fault struck it. */
  #note({ kind, source, name, subject = '' }: JournalEntry): void {
    const demand = functionName(this.#fleet.groupName, 'demand');
    if (kind === 'fault') {
      // With a wrong number, or without its memory, the function cannot know better.
      if (subject.includes(demand) || /memory|misbehave/.test(name)) this.#failed = true;
    }
    if (source !== 'aws.lambda' || subject !== demand) return;
    if (name === 'succeeded' && !this.#failed) this.#windows += 1;
    if (name === 'succeeded' || name === 'failed') this.#failed = false;
  }

  #ended({ id, runnerName, startedAt }: Job): void {
    if (runnerName === undefined || startedAt === undefined) return;
    const begun = this.#begun.get(runnerName) ?? new Set();
    this.#begun.set(runnerName, begun.add(id));
    if (this.#stopped) return;
    this.#expect(begun.size === 1, `instance ${runnerName} had the jobs ${[...begun].join(' and ')}`);
  }

  #look(): void {
    const good = Number(this.#windows > 0);
    this.#windows = 0;
    if (this.#stopped) return;
    this.#lookAtRunners(good);
  }

  #lookAtRunners(good: number): void {
    const members = new Set(this.#members().map(({ instanceId }) => instanceId));
    for (const { name } of this.#fleet.codeHost.registry.runners) {
      const minutes = members.has(name) ? 0 : (this.#withoutInstance.get(name) ?? 0) + good;
      this.#withoutInstance.set(name, minutes);
      this.#expect(
        minutes !== mostMinutes + 1,
        `runner ${name} is left although its instance is gone, at ${this.#now}`,
      );
    }
  }

  get #now(): string {
    return new Date(this.#fleet.clock.now()).toISOString();
  }

  #serving(): readonly string[] {
    return this.#members()
      .filter(({ state }) => /^(Pending|InService)/.test(state))
      .map(({ instanceId }) => instanceId);
  }

  /** Of the groups of all types. */
  #members() {
    const { groupNames } = this.#fleet;
    return groupNames.flatMap((name) => [...(this.#fleet.group(name)?.members.values() ?? [])]);
  }
}
