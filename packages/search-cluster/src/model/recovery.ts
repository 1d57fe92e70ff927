/** What a joining node still receives. */
export interface NodeRecovery {
  /** Recoveries with this node as their target that are not done. */
  readonly active: number;
  readonly bytesTotal: number;
  readonly bytesRecovered: number;
}
