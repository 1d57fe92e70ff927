import type { Job } from '../../model.ts';
import {
  type away,
  ended,
  listening,
  minutes,
  type RunnerBench,
  type RunnerPlatform,
  type RunningListener,
} from './runner-bench.test-support.ts';

/** One run: the minutes of its outage after which the step of its job was cancelled, and after which its listener ended. */
export interface OutageRun {
  readonly step: number;
  readonly listener: number;
}

export type OutageKind = keyof typeof away;
export const outageKinds: readonly OutageKind[] = ['refused', 'unavailable', 'no-answer'];
export type SeenOutages = Readonly<Record<OutageKind, readonly OutageRun[]>>;

/** A job is renewed every minute: runs begin their outage in equal steps of one, so that no two courses have different luck with it. */
export const momentOf = (run: number, runs: number): number => ((run + 0.5) / runs) * minutes;

const cancelled = 'cancelled';
/** Where there is a shell the step notes the signal; a simulated step ends with it, and the hook follows. */
const script = `trap 'touch ../../../${cancelled}; exit 1' INT\nsleep 86400 > /dev/null 2>&1 & wait`;

interface Prepared {
  readonly bench: RunnerBench;
  readonly listener: RunningListener;
  readonly job: Job;
}

/** A listener with a job whose step runs. */
export async function prepareOutage(platform: RunnerPlatform, seed?: number): Promise<Prepared> {
  const bench = await platform.open(seed);
  const { exact } = platform;
  const listener = await listening(bench, exact ? bench.hook('COMPLETED', 0) : {});
  const { queue } = bench.host.registry;
  const job = queue.enqueue(exact ? { durationMs: 24 * 60 * minutes } : { durationMs: 0, script });
  await bench.until(() => job.startedAt !== undefined && bench.works(), 5 * minutes);
  return { bench, listener, job };
}

/** Everything is away, `afterMs` after the second renewal of a job, until its listener has ended. */
export async function seeOutage(
  { exact }: RunnerPlatform,
  { bench, listener, job }: Prepared,
  how: OutageKind,
  afterMs: number,
): Promise<OutageRun> {
  const { clock } = bench.engine;
  try {
    await bench.pass(Math.max(0, job.startedAt! + minutes + afterMs - clock.now()));
    const since = clock.now();
    await bench.goAway(how);
    const isCancelled = () => (exact ? bench.hookCalls().length > 0 : bench.read(cancelled) !== undefined);
    await bench.until(isCancelled, 20 * minutes);
    const step = clock.now() - since;
    await ended(bench, listener, 150 * minutes);
    if (listener.exitCode() !== 2) throw new Error(`it ended with ${listener.exitCode()}: ${listener.output()}`);
    return { step: step / minutes, listener: (clock.now() - since) / minutes };
  } finally {
    await bench.close();
  }
}

export interface Figures {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export function figuresOf(values: readonly number[]): Figures {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (place: number) => (sorted[Math.floor(place)]! + sorted[Math.ceil(place)]!) / 2;
  return { median: at((sorted.length - 1) / 2), least: sorted[0]!, most: sorted.at(-1)! };
}

/** Where a simulation differs from the original: its median by more than 15 %, or a run outside the original's range, widened by 20 %. */
export function differences(original: readonly number[], simulated: readonly number[]): string[] {
  const [seen, own] = [figuresOf(original), figuresOf(simulated)];
  const found: string[] = [];
  if (Math.abs(own.median / seen.median - 1) > 0.15)
    found.push(`median ${own.median.toFixed(2)}, seen ${seen.median.toFixed(2)}`);
  if (own.least < seen.least * 0.8) found.push(`least ${own.least.toFixed(2)}, seen ${seen.least.toFixed(2)}`);
  if (own.most > seen.most * 1.2) found.push(`most ${own.most.toFixed(2)}, seen ${seen.most.toFixed(2)}`);
  return found;
}
