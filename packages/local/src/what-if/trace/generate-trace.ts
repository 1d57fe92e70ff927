import { type Random, SeededRandom } from '@drover/core';
import type { TracedJob } from './trace.ts';

export type TraceKind = 'week' | 'burst';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** A Monday. */
const startMs = Date.UTC(2026, 0, 5);
const labels = ['self-hosted', 'linux', 'x64'];

/** Pushes an hour on a working day, by hour (UTC): quiet nights, a dip at lunch. */
const officePushes = [
  0, 0, 0, 0, 0, 0.4, 1.2, 3.5, 8.5, 12, 13, 10, 5, 8.5, 12, 12, 8.5, 5, 2.5, 1, 0.7, 0.5, 0.4, 0.2,
];
const weekendPushes = 0.35;

/** A trace by chance: the same seed gives the same jobs. `week`: a team's week. `burst`: a day of silence and sudden crowds. */
export function generateTrace(kind: TraceKind, seed: string): TracedJob[] {
  const random = new SeededRandom(seed).fork(`trace ${kind}`);
  const jobs = kind === 'week' ? week(random) : burst(random);
  return jobs.sort((a, b) => a.queuedAtMs - b.queuedAtMs);
}

function week(random: Random): TracedJob[] {
  const jobs: TracedJob[] = [];
  for (let dayIndex = 0; dayIndex < 7; dayIndex++) {
    const midnight = startMs + dayIndex * day;
    for (const [hourOfDay, rate] of officePushes.entries())
      for (let push = pushesIn(random, dayIndex < 5 ? rate : weekendPushes); push > 0; push--)
        jobs.push(...matrix(random, midnight + hourOfDay * hour + random.int(0, 3_599) * 1000));
    jobs.push(...nightlyBuilds(random, midnight + 2 * hour));
  }
  return jobs;
}

/** Every two hours or so a crowd of jobs within two minutes; a few single ones between. */
function burst(random: Random): TracedJob[] {
  const jobs: TracedJob[] = [];
  for (let at = startMs + hour; at < startMs + day; at += random.int(90, 150) * minute)
    for (let left = random.int(20, 40); left > 0; left--) jobs.push(job(random, at + random.int(0, 120) * 1000));
  for (let left = 24; left > 0; left--) jobs.push(job(random, startMs + random.int(0, 86_399) * 1000));
  return jobs;
}

/** Arrivals within an hour of people who do not know of each other: Poisson, by exponential gaps. */
function pushesIn(random: Random, rate: number): number {
  let count = -1;
  for (let passed = 0; passed < rate; count++) passed += -Math.log(1 - random.next());
  return Math.max(0, count);
}

/** One push starts several jobs at once. */
const matrix = (random: Random, at: number): TracedJob[] =>
  Array.from({ length: random.pick([1, 1, 2, 3, 3, 4, 6]) }, () => job(random, at + random.int(0, 5) * 1000));

const nightlyBuilds = (random: Random, at: number): TracedJob[] =>
  Array.from({ length: 10 }, () => ({
    queuedAtMs: at + random.int(0, 30) * 1000,
    durationMs: random.int(20, 60) * minute,
    labels,
  }));

/** Most jobs take a few minutes, few take long: log-normal around five minutes. */
function job(random: Random, queuedAtMs: number): TracedJob {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  const seconds = Math.round(Math.min(5_400, Math.max(20, 300 * Math.exp(0.8 * normal))));
  return { queuedAtMs, durationMs: seconds * 1000, labels };
}
