import { workerExit } from './exit-codes.ts';
import type { JobResult, WorkerSystem } from './ports.ts';
import { insteadOf, withRetries } from './retry.ts';

/** The time that the runtime gives a Worker after SIGTERM (actions/runner, Constants.cs). */
const sigtermLimitMs = 30_000;
/** Retries for reporting a result: count and pause (actions/runner, JobRunner.cs). */
const completion = { times: 5, pauseMs: 5_000 };
/** How long the original tries to find out where to load an action (seen of 2.336). */
const resolveActionMs = 45_000;

/**
 * One job's process. Its hooks are part of the job: it is complete only after the job-completed hook, and a hook that ends
 * with another code than 0 fails it (actions/runner, ADR 1751). SIGINT is swallowed; a shutdown ends steps and skips the hook, a cancel
 * ends steps and runs it.
 */
export function work(system: WorkerSystem): Promise<number> {
  return new Promise((exit, fail) => {
    const stop: Stop = { steps: new AbortController(), all: new AbortController(), because: 'cancelled' };
    const shutDown = () => {
      stop.all.abort();
      stop.steps.abort();
    };
    system.onSignal('SIGINT', () => {});
    system.onSignal('SIGTERM', () => {
      shutDown();
      system.clock.after(sigtermLimitMs, () => exit(workerExit.crashed));
    });
    system.onMessage((message) => {
      if (message === 'shutdown') return shutDown();
      if (message === 'abandon') stop.because = 'abandoned';
      stop.canceled = true;
      stop.steps.abort();
    });
    runJob(system, stop).then(exit, fail);
  });
}

/** How a job is ended before its time. */
interface Stop {
  readonly steps: AbortController;
  /** The job-completed hook, too. */
  readonly all: AbortController;
  because: JobResult['because'];
  canceled?: boolean;
}

async function runJob(system: WorkerSystem, stop: Stop): Promise<number> {
  try {
    system.trace(`Job ${system.job.name} started`);
    await system.service.started().catch(insteadOf(undefined));
    // As the original: it dies with an exception, and its listener fails the job.
    if (!system.isUsable()) return workerExit.crashed;
    const done = await runSteps(system, stop);
    const canceled = stop.canceled === true ? { canceled: true } : {};
    const result = stop.steps.signal.aborted
      ? { ...done, result: 'failed' as const, because: stop.because!, ...canceled }
      : done;
    system.trace(`Job ${system.job.name} completed with result: ${result.result}`);
    return await report(system, result);
  } catch (error) {
    if (isDiskFull(error)) return workerExit.crashed;
    throw error;
  }
}

async function runSteps(system: WorkerSystem, { steps: stop, all }: Stop): Promise<JobResult> {
  const hookSucceeds = async (name: 'job-started' | 'job-completed', signal: AbortSignal) =>
    (await unlessStopped(signal, system.hook(name, signal))) === 0;
  // Actions are loaded before any step, the started hook included.
  if (system.job.uses !== undefined) {
    await system.clock.sleep(resolveActionMs, stop.signal).catch(() => {});
    return { result: 'failed', step: 'Set up job' };
  }
  const begun = await hookSucceeds('job-started', stop.signal);
  const steps = begun && !stop.signal.aborted ? await unlessStopped(stop.signal, system.steps(stop.signal)) : undefined;
  // Runs whatever became of the steps, but not at a shutdown.
  const closed = all.signal.aborted || (await hookSucceeds('job-completed', all.signal));
  const output = steps?.output === undefined ? {} : { output: steps.output };
  if (!begun || !closed) return { result: 'failed', because: 'hook-failed', ...output };
  return { result: steps?.exitCode === 0 ? 'succeeded' : 'failed', ...output };
}

/** Work that is under way is left alone when the Worker is ordered to stop. */
function unlessStopped<T>(stop: AbortSignal, running: Promise<T>): Promise<T | undefined> {
  if (stop.aborted) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const give = () => resolve(undefined);
    stop.addEventListener('abort', give, { once: true });
    running.then(resolve, (error) => (stop.aborted ? undefined : reject(error)));
  });
}

/** A Worker that cannot deliver its result dies without one; the end of the lease then decides. */
async function report(system: WorkerSystem, result: JobResult): Promise<number> {
  for (let time = 1; time <= completion.times; time++) {
    try {
      await withRetries(system, () => system.service.complete(result));
      return result.canceled === true ? workerExit.canceled : workerExit[result.result];
    } catch (error) {
      insteadOf(undefined)(error);
    }
    await system.clock.sleep(completion.pauseMs);
  }
  return workerExit.crashed;
}

const isDiskFull = (error: unknown) => (error as { readonly code?: string }).code === 'ENOSPC';
