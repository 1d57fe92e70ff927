import type { Job, JobCounts } from '@drover/cloud-github';
import { TerminalError, VirtualClock } from '@drover/core';
import type { Usage } from '@drover/operator/fleet/prices';
import { DeployedFleet } from '@drover/stage/fleet';
import type { Candidate } from '../assemble.ts';
import { type Trace, usualLabels } from '../trace/trace.ts';
import { type OverTime, watchOverTime } from './over-time.ts';
import { UsageMeter } from './usage.ts';

/** The fate of a trace's jobs on one candidate. */
export interface Replay {
  /** From the start of the trace until it was over and the last job had ended. */
  readonly periodMs: number;
  /** From queueing to its Worker, or to its loss, of each job that ended. */
  readonly waitsMs: readonly number[];
  /** The time in which jobs had a runner. */
  readonly busyMs: number;
  readonly jobs: JobCounts;
  readonly usage: Usage;
  readonly overTime: OverTime;
  readonly platform: { readonly requests: number; readonly counted: number };
}

export interface ReplayOptions {
  readonly seed: string;
  readonly spotReclaimsPerDay: number;
  readonly signal?: AbortSignal;
  /** Called after each simulated hour. */
  progress?(passedMs: number, ofMs: number): void;
  /** Called with the simulation before it is deployed, to look on. */
  watch?(fleet: DeployedFleet): void;
}

const hourMs = 3_600_000;
/** Time to deploy and to come to rest before the first job. */
const leadMs = hourMs;
/** A job waits for at most a day, then GitHub drops it; the longest may run for five days. */
const longestTailMs = (24 + 5 * 24 + 1) * hourMs;

/** Deploys a candidate to a cloud of its own and lets the trace happen, with the real functions and agents. */
export async function replay(candidate: Candidate, trace: Trace, options: ReplayOptions): Promise<Replay> {
  const { assembly, groupName } = candidate;
  const clock = new VirtualClock(trace.startMs - leadMs);
  const fleet = new DeployedFleet({ assembly, groupName, clock, seed: options.seed, transport: 'direct' });
  const meter = new UsageMeter(fleet.world);
  const requests = countRequests(fleet);
  const ended: Job[] = [];
  fleet.codeHost.registry.queue.onEnded((job) => ended.push(job));
  options.watch?.(fleet);
  await fleet.deploy();
  if (clock.now() > trace.startMs) throw new TerminalError('the deployment took longer than an hour');
  await clock.advanceTo(trace.startMs);
  meter.begin();
  const before = { requests: requests(), counted: fleet.codeHost.countedRequests };
  reclaimSpot(fleet, options.spotReclaimsPerDay);
  enqueue(fleet, candidate, trace);
  const overTime = watchOverTime(fleet, trace, meter);
  await pass(clock, trace, () => ended.length >= trace.jobs.length, options);
  return {
    periodMs: clock.now() - trace.startMs,
    waitsMs: ended.map(({ queuedAt, startedAt, endedAt }) => (startedAt ?? endedAt!) - queuedAt),
    busyMs: ended.reduce(
      (sum, { startedAt, endedAt }) => sum + (startedAt === undefined ? 0 : endedAt! - startedAt),
      0,
    ),
    jobs: fleet.codeHost.registry.queue.counts,
    usage: meter.read(),
    overTime: overTime(),
    platform: { requests: requests() - before.requests, counted: fleet.codeHost.countedRequests - before.counted },
  };
}

/** Hour by hour to the end of the trace, then on until every job has ended. */
async function pass(clock: VirtualClock, trace: Trace, allEnded: () => boolean, options: ReplayOptions): Promise<void> {
  const ofMs = trace.endMs - trace.startMs;
  for (let at = trace.startMs + hourMs; at <= trace.endMs; at += hourMs) {
    options.signal?.throwIfAborted();
    await clock.advanceTo(at);
    options.progress?.(at - trace.startMs, ofMs);
  }
  for (let tailMs = 0; !allEnded() && tailMs < longestTailMs; tailMs += hourMs) {
    options.signal?.throwIfAborted();
    await clock.runUntil(allEnded, hourMs);
  }
}

function enqueue(fleet: DeployedFleet, { mode, groupName }: Candidate, { jobs }: Trace): void {
  const { queue } = fleet.codeHost.registry;
  /** A scale set has the group's name instead of the labels that every runner has. */
  const runsOnOf = (labels: readonly string[]) =>
    mode === 'jobs'
      ? { runsOn: [groupName, ...labels.filter((label) => !usualLabels.includes(label.toLowerCase()))] }
      : { labels };
  for (const { queuedAtMs, durationMs, labels } of jobs)
    fleet.clock.after(queuedAtMs - fleet.clock.now(), () => queue.enqueue({ durationMs, ...runsOnOf(labels) }));
}

/** The cloud asks about each running spot instance once a minute. */
function reclaimSpot(fleet: DeployedFleet, perDay: number): void {
  if (perDay === 0) return;
  const effect = { kind: 'spot-reclaim' } as const;
  fleet.world.engine.faults.add({ service: 'machine', operation: 'run', chance: perDay / 1440, effect });
}

function countRequests(fleet: DeployedFleet): () => number {
  let count = 0;
  fleet.world.engine.journal.subscribe(({ kind, source }) => {
    if (kind === 'request' && source === 'platform') count += 1;
  });
  return () => count;
}
