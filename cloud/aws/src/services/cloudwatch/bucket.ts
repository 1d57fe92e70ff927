/** All samples of one stretch of time, put together. */
export interface Bucket {
  /** When it begins. */
  readonly at: number;
  sum: number;
  count: number;
  min: number;
  max: number;
  /** How often each value came, for percentiles; absent while all values are the same. */
  values?: Map<number, number>;
}

/** Different values that one bucket remembers. */
const keptValues = 200;

export const emptyBucket = (at: number): Bucket => ({
  at,
  sum: 0,
  count: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
});

/** Adds one value that came `count` times. */
export function addValue(bucket: Bucket, value: number, count = 1): void {
  const before = bucket.count;
  bucket.sum += value * count;
  bucket.count += count;
  remember(bucket, value, count, before);
  bucket.min = Math.min(bucket.min, value);
  bucket.max = Math.max(bucket.max, value);
}

function remember(bucket: Bucket, value: number, count: number, before: number): void {
  if (bucket.values === undefined) {
    if (before === 0 || (bucket.min === value && bucket.max === value)) return;
    bucket.values = new Map([[bucket.min, before]]);
  }
  const known = bucket.values.get(value);
  if (known !== undefined || bucket.values.size < keptValues) bucket.values.set(value, (known ?? 0) + count);
}

/** Adds a statistic set or another bucket. */
export function addBucket(bucket: Bucket, other: Omit<Bucket, 'at'>): void {
  for (const [value, count] of other.values ?? spread(other)) remember(bucket, value, count, bucket.count);
  bucket.sum += other.sum;
  bucket.count += other.count;
  bucket.min = Math.min(bucket.min, other.min);
  bucket.max = Math.max(bucket.max, other.max);
}

/** Without single values the ends and the average stand for them. */
function spread({ sum, count, min, max }: Omit<Bucket, 'at'>): [number, number][] {
  if (min === max || count <= 1) return [[max, count]];
  return [
    [min, 1],
    [sum / count, Math.max(0, count - 2)],
    [max, 1],
  ];
}

/** A statistic of a bucket; undefined for one that is not modelled. */
export function statisticOf(bucket: Bucket, statistic: string): number | undefined {
  if (statistic === 'Average') return bucket.sum / bucket.count;
  if (statistic === 'Sum') return bucket.sum;
  if (statistic === 'Minimum') return bucket.min;
  if (statistic === 'Maximum') return bucket.max;
  if (statistic === 'SampleCount') return bucket.count;
  const percentile = /^p(\d{1,2}(?:\.\d+)?|100)$/.exec(statistic)?.[1];
  return percentile === undefined ? undefined : percentileOf(bucket, Number(percentile) / 100);
}

export const knownStatistic = (statistic: string) =>
  ['Average', 'Sum', 'Minimum', 'Maximum', 'SampleCount'].includes(statistic) ||
  /^p(\d{1,2}(\.\d+)?|100)$/.test(statistic);

function percentileOf({ values, max }: Bucket, share: number): number {
  if (values === undefined) return max;
  const sorted = [...values].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [value, count] of sorted) {
    seen += count;
    if (seen >= share * total) return value;
  }
  return max;
}
