import { addBucket, addValue, type Bucket, emptyBucket } from './bucket.ts';
import { type MetricName, minuteMs } from './model.ts';

/** Resolutions with the number of buckets that are kept of each. AWS keeps more: 15 days, 63 days, 455 days. */
const tiers = [
  { spanMs: minuteMs, kept: 500 },
  { spanMs: 5 * minuteMs, kept: 900 },
  { spanMs: 60 * minuteMs, kept: 1_000 },
] as const;

/** The datapoints of one metric, aggregated per minute and more coarsely the older they are. */
export class Series {
  readonly metric: MetricName;
  unit: string | undefined;
  /** When data last came. */
  updatedAt = 0;
  /** One list per tier, oldest first. */
  readonly #tiers: Bucket[][] = tiers.map(() => []);
  /** An alarm may look further back than minutes are kept otherwise. */
  #keptMinutes: number = tiers[0].kept;

  constructor(metric: MetricName) {
    this.metric = metric;
  }

  keepMinutes(count: number): void {
    this.#keptMinutes = Math.max(this.#keptMinutes, count);
  }

  add(atMs: number, value: number, count = 1): void {
    tiers.forEach(({ spanMs }, tier) => {
      addValue(this.#bucket(tier, Math.floor(atMs / spanMs) * spanMs), value, count);
    });
  }

  addSet(atMs: number, set: Omit<Bucket, 'at'>): void {
    tiers.forEach(({ spanMs }, tier) => {
      addBucket(this.#bucket(tier, Math.floor(atMs / spanMs) * spanMs), set);
    });
  }

  /** Everything in `[from, to)` put together, or undefined when nothing came then. */
  window(fromMs: number, toMs: number): Bucket | undefined {
    const buckets = this.#tiers[this.#tierFor(fromMs, toMs)]!;
    const first = firstAtOrAfter(buckets, fromMs);
    let end = first;
    while (end < buckets.length && buckets[end]!.at < toMs) end++;
    if (end - first < 2) return end === first ? undefined : buckets[first];
    const together = emptyBucket(fromMs);
    for (let index = first; index < end; index++) addBucket(together, buckets[index]!);
    return together;
  }

  /** The newest moment of which something is known. */
  get newestAt(): number | undefined {
    return this.#tiers[0]!.at(-1)?.at;
  }

  /** Minutes as far back as they are kept, then the coarser tiers. */
  #tierFor(fromMs: number, toMs: number): number {
    const last = tiers.length - 1;
    for (let tier = 0; tier < last; tier++) {
      const oldest = this.#tiers[tier]![0]?.at;
      const complete = this.#tiers[tier]!.length < this.#limit(tier) || (oldest !== undefined && oldest <= fromMs);
      if (complete || toMs - fromMs < tiers[tier + 1]!.spanMs) return tier;
    }
    return last;
  }

  #limit(tier: number): number {
    return tier === 0 ? this.#keptMinutes : tiers[tier]!.kept;
  }

  #bucket(tier: number, at: number): Bucket {
    const buckets = this.#tiers[tier]!;
    const newest = buckets.at(-1);
    if (newest?.at === at) return newest;
    const index = newest === undefined || newest.at < at ? buckets.length : firstAtOrAfter(buckets, at);
    if (buckets[index]?.at === at) return buckets[index];
    const bucket = emptyBucket(at);
    buckets.splice(index, 0, bucket);
    if (buckets.length > this.#limit(tier) * 1.25) buckets.splice(0, buckets.length - this.#limit(tier));
    return bucket;
  }
}

/** Binary search: the first bucket that does not begin before `at`. */
function firstAtOrAfter(buckets: readonly Bucket[], at: number): number {
  let low = 0;
  let high = buckets.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (buckets[middle]!.at < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
