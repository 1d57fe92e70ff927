/** Reads by one shard copy for callers since its node started. Writes are counted with the documents. */
export interface ReadCounts {
  queries: number;
  fetches: number;
  gets: number;
  found: number;
  /** Scrolls that have ended, and those that are open. */
  scrolls: number;
  openScrolls: number;
}

export const noReads: Readonly<ReadCounts> = {
  queries: 0,
  fetches: 0,
  gets: 0,
  found: 0,
  scrolls: 0,
  openScrolls: 0,
};

/** Counts by allocation id, of one process. */
export class ReadCounters {
  #counts = new Map<string, ReadCounts>();

  of(allocationId: string): ReadCounts {
    let counts = this.#counts.get(allocationId);
    if (counts === undefined) {
      counts = { ...noReads };
      this.#counts.set(allocationId, counts);
    }
    return counts;
  }

  clear(): void {
    this.#counts.clear();
  }
}
