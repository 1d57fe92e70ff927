/** What one seed of a campaign came to. */
export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly faults: number;
  readonly checks: number;
  /** One line for people. */
  readonly summary: string;
}
