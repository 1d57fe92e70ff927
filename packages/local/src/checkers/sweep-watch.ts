import type { JournalEntry } from '@drover/cloud-engine';

const keptSweeps = 50;
/** Faults that no request line shows. */
const untold = new Set(['timeout', 'error', 'throttle']);

/** Finds in the journal the sweeps that came through: passes of the deregistration function that looked at everything and met no failure. */
export class SweepWatch {
  readonly #functionName: string;
  #starts: number[] = [];
  #lookedAt = -1;
  #failedAt = -1;

  constructor(functionName: string) {
    this.#functionName = functionName;
  }

  /** Sweeps that began at `since` or later and ended well. */
  countSince(since: number): number {
    return this.#starts.filter((start) => start >= since).length;
  }

  note({ at, kind, source, name, subject, detail = {} }: JournalEntry): void {
    // A function that has lost its memory must see everything twice again.
    if (kind === 'fault' && name.endsWith('-memory')) this.#starts = [];
    // The sweep goes on without such a call and ends well.
    if (kind === 'fault' && source === 'platform' && untold.has(name) && subject === this.#functionName)
      this.#failedAt = at;
    if (kind === 'request') this.#request(at, source, name, String(detail.by ?? subject), detail);
    if (source !== 'aws.lambda' || name !== 'succeeded' || subject !== this.#functionName) return;
    const start = at - Number(detail.durationMs);
    if (this.#lookedAt < start || this.#failedAt >= start) return;
    this.#starts.push(start);
    if (this.#starts.length > keptSweeps) this.#starts.shift();
  }

  /** Only a sweep lists the token secrets in this function. */
  #request(at: number, source: string, name: string, by: string, detail: Readonly<Record<string, unknown>>): void {
    if (!by.endsWith(this.#functionName)) return;
    // A host that has not reported has no object: that is a response, not a failure.
    const error = detail.error === 'NoSuchKey' ? undefined : detail.error;
    const failed = error !== undefined || (source === 'platform' && Number(detail.status) >= 400);
    if (failed) this.#failedAt = at;
    else if (name === 'ListSecrets') this.#lookedAt = at;
  }
}
