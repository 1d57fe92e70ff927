import type { Clock } from '@drover/core';
import { type MetricName, metricKey } from './model.ts';
import { Series } from './series.ts';

/** Metrics that are remembered; beyond that the one without data for longest is forgotten. */
const keptMetrics = 20_000;

/** All metrics of the account. */
export class Metrics {
  readonly #series = new Map<string, Series>();
  readonly #clock: Clock;
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get all(): IterableIterator<Series> {
    return this.#series.values();
  }

  find(metric: MetricName): Series | undefined {
    return this.#series.get(metricKey(metric));
  }

  /** The series of a metric, made if it is new. */
  series(metric: MetricName): Series {
    const key = metricKey(metric);
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const series = new Series(metric);
    this.#series.set(key, series);
    if (this.#series.size > keptMetrics) this.#forgetOldest();
    return series;
  }

  /** Records data through `add` and notifies the watchers of the metric. */
  record(metric: MetricName, unit: string | undefined, add: (series: Series) => void): void {
    const key = metricKey(metric);
    const series = this.#series.get(key) ?? this.series(metric);
    add(series);
    series.unit ??= unit;
    series.updatedAt = this.#clock.now();
    for (const listener of this.#listeners.get(key) ?? []) listener();
  }

  /** Calls `listener` when the metric gets data. Returns an unsubscribe function. */
  watch(metric: MetricName, listener: () => void): () => void {
    const key = metricKey(metric);
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(key);
    };
  }

  #forgetOldest(): void {
    let oldest: [string, Series] | undefined;
    for (const entry of this.#series)
      if (!this.#listeners.has(entry[0]) && (oldest === undefined || entry[1].updatedAt < oldest[1].updatedAt))
        oldest = entry;
    if (oldest !== undefined) this.#series.delete(oldest[0]);
  }
}
