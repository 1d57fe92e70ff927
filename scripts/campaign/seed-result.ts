/** The result of one seed of a campaign. */
export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly faults: number;
  readonly checks: number;
  /** How often each kind of fault struck. */
  readonly faultsByKind?: Readonly<Record<string, number>>;
  /** Outcomes of the work, by name: done, or lost with the cause. */
  readonly outcomes?: Readonly<Record<string, number>>;
  /** Processor time of this seed; measured by the worker. */
  readonly cpuSeconds?: number;
  /** One line for people. */
  readonly summary: string;
}
