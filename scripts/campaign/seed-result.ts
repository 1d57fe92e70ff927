/** What one seed of a campaign came to. */
export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly faults: number;
  readonly checks: number;
  /** How often each kind of fault struck. */
  readonly faultsByKind?: Readonly<Record<string, number>>;
  /** What came of the work, by name: done, lost and because of what. */
  readonly outcomes?: Readonly<Record<string, number>>;
  /** Processor time of this seed; measured by the worker. */
  readonly cpuSeconds?: number;
  /** One line for people. */
  readonly summary: string;
}
