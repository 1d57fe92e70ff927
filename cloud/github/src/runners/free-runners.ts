import type { Job, RunnerRecord } from '../model.ts';

/** Labels are compared without regard to case (docs.github.com, "Using labels with self-hosted runners"). */
export const labelKey = (label: string): string => label.toLowerCase();

/** The route that a job asks for and a runner offers: its labels, or the one scale set that it belongs to. */
export const routeOf = ({
  scaleSetId,
  labels,
}: Pick<Job | RunnerRecord, 'scaleSetId' | 'labels'>): readonly string[] =>
  scaleSetId === undefined ? labels.map(labelKey) : [`\u0000scale set ${scaleSetId}`];

/**
 * The runners that are connected and have no job, by label: a job looks only at those that carry its rarest label.
 * Of several, the one that is free the longest is taken; GitHub does not document its choice.
 */
export class FreeRunners {
  #labels = new Map<RunnerRecord, ReadonlySet<string>>();
  #byLabel = new Map<string, Set<RunnerRecord>>();

  get size(): number {
    return this.#labels.size;
  }

  has(runner: RunnerRecord): boolean {
    return this.#labels.has(runner);
  }

  add(runner: RunnerRecord): void {
    if (this.#labels.has(runner)) return;
    const labels = new Set(routeOf(runner));
    this.#labels.set(runner, labels);
    for (const label of labels) this.#carriersOf(label).add(runner);
  }

  delete(runner: RunnerRecord): void {
    for (const label of this.#labels.get(runner) ?? []) {
      const carriers = this.#carriersOf(label);
      carriers.delete(runner);
      if (carriers.size === 0) this.#byLabel.delete(label);
    }
    this.#labels.delete(runner);
  }

  /** A runner with all of these labels (lower case). */
  find(labels: readonly string[]): RunnerRecord | undefined {
    for (const runner of this.#rarest(labels)) if (this.#carries(runner, labels)) return runner;
    return undefined;
  }

  #carries(runner: RunnerRecord, labels: readonly string[]): boolean {
    const own = this.#labels.get(runner);
    return own !== undefined && labels.every((label) => own.has(label));
  }

  #rarest(labels: readonly string[]): Iterable<RunnerRecord> {
    let rarest: ReadonlySet<RunnerRecord> | undefined;
    for (const label of labels) {
      const carriers = this.#byLabel.get(label);
      if (carriers === undefined) return [];
      if (rarest === undefined || carriers.size < rarest.size) rarest = carriers;
    }
    return rarest ?? this.#labels.keys();
  }

  #carriersOf(label: string): Set<RunnerRecord> {
    let carriers = this.#byLabel.get(label);
    if (carriers === undefined) {
      carriers = new Set();
      this.#byLabel.set(label, carriers);
    }
    return carriers;
  }
}
