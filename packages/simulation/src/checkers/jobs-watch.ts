import { every, type JournalEntry } from '@drover/cloud-engine';
import { type Job, workerName } from '@drover/cloud-github';
import { functionName } from '@drover/core/names/runner-fleet';
import type { DeployedFleet } from '@drover/stage/fleet';

const minute = 60_000;
/** For so many minutes, in which nothing was in the way, an instance may be there for nothing, and a runner without its instance. */
const mostMinutes = 20;

interface JobsLimits {
  minSize(): number;
  idleTarget(): number;
}

/** Watches a fleet in jobs mode: one job for each machine, and no machine without a reason. */
export class JobsWatch {
  readonly #fleet: DeployedFleet;
  readonly #limits: JobsLimits;
  readonly #expect: (holds: boolean, violation: string) => void;
  /** Jobs that began on each instance. */
  readonly #begun = new Map<string, Set<number>>();
  /** How many good minutes each instance has been there for nothing. */
  readonly #withoutPlace = new Map<string, number>();
  /** How many good minutes each runner at the service has been without an instance. */
  readonly #withoutInstance = new Map<string, number>();
  readonly #struck = new Set<string>();
  /** Whose machine failed: it is replaced by rules of its own, so that it counts at rest only. */
  readonly #broken = new Set<string>();
  #windows = 0;
  #stopped = false;
  #failed = false;

  constructor(fleet: DeployedFleet, limits: JobsLimits, expect: (holds: boolean, violation: string) => void) {
    this.#fleet = fleet;
    this.#limits = limits;
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
    for (const [id, wasted] of this.#withoutPlace)
      this.#expect(wasted <= mostMinutes, `instance ${id} is still there for nothing`);
  }

  /** A window of the demand function came through when it succeeded and no fault struck it. */
  #note({ kind, source, name, subject = '' }: JournalEntry): void {
    const demand = functionName(this.#fleet.groupName, 'demand');
    if (kind === 'fault') {
      // With a wrong number, or without its memory, the function cannot know better.
      if (subject.includes(demand) || /memory|misbehave/.test(name)) this.#failed = true;
      const [instanceId] = /\bi-[0-9a-f]{17}\b/.exec(subject) ?? [];
      if (instanceId !== undefined) (source === 'machine' ? this.#broken : this.#struck).add(instanceId);
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
    this.#lookAtInstances(good);
    this.#lookAtRunners(good);
    this.#struck.clear();
  }

  /**
   * Who has neither a job nor a place among those that jobs or the idle target ask for? A place is kept by who has it, so that a surplus
   * cannot hide behind taking turns.
   */
  #lookAtInstances(good: number): void {
    const idle = this.#serving().filter((id) => !this.#isBusy(id));
    const places = this.#places(this.#serving().length - idle.length);
    const ordered = idle.toSorted((a, b) => this.#wasted(a) - this.#wasted(b));
    const surplus = new Set(ordered.slice(places));
    for (const id of [...this.#withoutPlace.keys()]) if (!surplus.has(id)) this.#withoutPlace.delete(id);
    for (const id of surplus) {
      const wasted = this.#struck.has(id) ? 0 : this.#wasted(id) + good;
      this.#withoutPlace.set(id, wasted);
      this.#expect(
        wasted !== mostMinutes + 1 || this.#broken.has(id),
        `instance ${id} has had neither a job nor one of ${places} places for ${mostMinutes} minutes, at ${this.#now}`,
      );
    }
  }

  #lookAtRunners(good: number): void {
    const members = this.#fleet.world.observe.group(this.#fleet.groupName)?.members;
    for (const { name } of this.#fleet.codeHost.registry.runners) {
      const minutes = members?.has(name) === true ? 0 : (this.#withoutInstance.get(name) ?? 0) + good;
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

  #wasted(instanceId: string): number {
    return this.#withoutPlace.get(instanceId) ?? -1;
  }

  /** Idle instances that are there for a reason: a job that waits, the idle target, the least size of the group. */
  #places(busy: number): number {
    const { scaleSets, registry } = this.#fleet.codeHost;
    const set = scaleSets.named(this.#fleet.groupName);
    const { totalAssignedJobs = 0 } = set === undefined ? {} : scaleSets.statistics(set);
    // A job on an instance that leaves counts as assigned until it is over, as the fleet's own formula has it.
    const waiting = Math.max(totalAssignedJobs - busy, registry.queue.waiting.length);
    return Math.max(waiting + this.#limits.idleTarget(), this.#limits.minSize() - busy);
  }

  #isBusy(instanceId: string): boolean {
    if (this.#fleet.codeHost.registry.index.named(instanceId)?.job !== undefined) return true;
    const machine = this.#fleet.world.machines.get(instanceId);
    return machine?.processes().some(({ name }) => name === workerName) === true;
  }

  #serving(): readonly string[] {
    const members = this.#fleet.world.observe.group(this.#fleet.groupName)?.members.values() ?? [];
    return [...members].filter(({ state }) => /^(Pending|InService)/.test(state)).map(({ instanceId }) => instanceId);
  }
}
