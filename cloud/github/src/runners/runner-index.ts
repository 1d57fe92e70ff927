import type { RunnerRecord } from '../model.ts';

/** Runners by id, by name, by level and by group, with counters that show whether anything has changed. */
export class RunnerIndex {
  readonly #byId = new Map<number, RunnerRecord>();
  readonly #byName = new Map<string, RunnerRecord>();
  readonly #scaleSets = new Map<number, Set<RunnerRecord>>();
  readonly #groups = new Map<string, readonly RunnerRecord[]>();
  #list: readonly RunnerRecord[] | undefined;
  #revision = 1;
  #membership = 1;

  /** In the order of their ids. */
  get all(): readonly RunnerRecord[] {
    this.#list ??= [...this.#byId.values()];
    return this.#list;
  }

  /** Grows whenever something changes that the API shows, apart from `busy`, which changes by itself as time passes. */
  get revision(): number {
    return this.#revision;
  }

  /** Grows whenever a runner comes or goes. */
  get membership(): number {
    return this.#membership;
  }

  get(id: number): RunnerRecord | undefined {
    return this.#byId.get(id);
  }

  named(name: string): RunnerRecord | undefined {
    return this.#byName.get(name);
  }

  /** Runners of a level, or of one of its groups. */
  at(level: string, groupId?: number): readonly RunnerRecord[] {
    const key = `${level} ${groupId ?? ''}`;
    let members = this.#groups.get(key);
    if (members === undefined) {
      const belongs = (runner: RunnerRecord) => groupId === undefined || runner.groupId === groupId;
      members = this.all.filter((runner) => runner.level === level && belongs(runner));
      this.#groups.set(key, members);
    }
    return members;
  }

  /** Runners of a scale set, in the order of their ids. */
  inScaleSet(id: number): ReadonlySet<RunnerRecord> {
    return this.#scaleSets.get(id) ?? new Set();
  }

  add(runner: RunnerRecord): void {
    if (runner.scaleSetId !== undefined)
      this.#scaleSets.set(
        runner.scaleSetId,
        (this.#scaleSets.get(runner.scaleSetId) ?? new Set<RunnerRecord>()).add(runner),
      );
    this.#byId.set(runner.id, runner);
    this.#byName.set(runner.name, runner);
    this.#membershipChanged(runner);
  }

  delete(runner: RunnerRecord): void {
    this.#scaleSets.get(runner.scaleSetId ?? 0)?.delete(runner);
    this.#byId.delete(runner.id);
    this.#byName.delete(runner.name);
    this.#membershipChanged(runner);
  }

  /** Something changed that the API shows of this runner. */
  touch(runner: RunnerRecord): void {
    this.#revision += 1;
    runner.revision = this.#revision;
  }

  #membershipChanged(runner: RunnerRecord): void {
    this.touch(runner);
    this.#membership += 1;
    this.#list = undefined;
    this.#groups.clear();
  }
}
