import { type Cost, costOf, type PriceTable, requirePrices, type Usage } from '@drover/operator/fleet/prices';
import type { Candidate } from '../assemble.ts';
import type { OverTime } from './over-time.ts';
import type { Replay } from './replay.ts';

/** The reported figures of one candidate. */
export interface Figures {
  readonly name: string;
  readonly scaling: Candidate['scaling'];
  /** Hours from the start of the trace until the last job had ended. */
  readonly hours: number;
  readonly waitSeconds: { readonly p50: number; readonly p95: number; readonly p99: number; readonly max: number };
  readonly jobs: {
    readonly queued: number;
    readonly completed: number;
    readonly lost: number;
    readonly unfinished: number;
    readonly lostBecause: Readonly<Record<string, number>>;
  };
  readonly runnerHours: { readonly onDemand: number; readonly spot: number; readonly total: number };
  readonly warmPoolHours: number;
  readonly peakRunners: number;
  /** Share of the runner-hours in which no job ran: waiting, booting, draining. */
  readonly idleShare: number;
  readonly cost: Cost;
  readonly overTime: Omit<OverTime, 'usage'> & {
    /** Until each step begins. */
    readonly cost: readonly number[];
  };
  readonly platformRequests: {
    readonly total: number;
    /** Against the rate limit; an unchanged response (304) is free. */
    readonly counted: number;
    readonly perHour: number;
    readonly countedPerHour: number;
  };
}

const hourMs = 3_600_000;

/** Sums a replay up. */
export function figuresOf(candidate: Candidate, replay: Replay, prices: PriceTable): Figures {
  const hours = replay.periodMs / hourMs;
  const { queued, completed, lost, lostBecause } = replay.jobs;
  const { onDemand, spot } = replay.usage.runningHours;
  requirePrices(prices, [...onDemand.keys(), ...spot.keys()], candidate.name);
  const runnerHours = { onDemand: sum(onDemand.values()), spot: sum(spot.values()) };
  const total = runnerHours.onDemand + runnerHours.spot;
  const { usage, ...overTime } = replay.overTime;
  const costBy = (used: Usage) => costOf(used, candidate.volumeGiB, prices);
  return {
    name: candidate.name,
    scaling: candidate.scaling,
    hours,
    waitSeconds: waitsOf(replay.waitsMs),
    jobs: { queued, completed, lost, unfinished: queued - completed - lost, lostBecause: { ...lostBecause } },
    runnerHours: { ...runnerHours, total },
    warmPoolHours: replay.usage.hibernatedHours,
    peakRunners: replay.usage.peakRunning,
    idleShare: total === 0 ? 0 : 1 - replay.busyMs / hourMs / total,
    overTime: { ...overTime, cost: usage.map((used) => costBy(used).total) },
    cost: costBy(replay.usage),
    platformRequests: {
      total: replay.platform.requests,
      counted: replay.platform.counted,
      perHour: replay.platform.requests / hours,
      countedPerHour: replay.platform.counted / hours,
    },
  };
}

/** Nearest-rank percentiles, in seconds. */
export function waitsOf(waitsMs: readonly number[]): Figures['waitSeconds'] {
  const sorted = [...waitsMs].sort((a, b) => a - b);
  const seconds = (percent: number) => percentile(sorted, percent) / 1000;
  return { p50: seconds(50), p95: seconds(95), p99: seconds(99), max: seconds(100) };
}

/** The smallest value that at least `percent` of all do not exceed (nearest rank). */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0;
}

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);
