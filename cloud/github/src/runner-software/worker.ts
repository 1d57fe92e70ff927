import type { ProcessContext, Program } from '@drover/cloud-machines';
import type { JobRun } from '../jobs/job-queue.ts';

export const workerName = 'Runner.Worker';

/** Scripts that the runner runs around each job (docs.github.com, "Running scripts before or after a job"). */
export interface JobHooks {
  readonly started?: Program;
  readonly completed?: Program;
}

/**
 * One job's process. SIGINT and SIGTERM cancel the job. The hooks are part of it: it is complete only after the
 * job-completed hook, and a hook that ends with another code than 0 fails it (actions/runner, ADR 1751).
 */
export function runnerWorker(run: JobRun, hooks: JobHooks = {}): Program {
  return async (context) => {
    const { job } = run;
    context.signal.addEventListener('abort', () => run.workerDied(), { once: true });
    const cancelled = new Promise<number>((exit) => {
      const cancel = () => {
        run.lost('cancelled');
        exit(1);
      };
      context.onSignal('SIGINT', cancel);
      context.onSignal('SIGTERM', cancel);
    });
    const work = async () => {
      run.started();
      if (!(await hookSucceeds(context, 'job-started', hooks.started))) return fail(run);
      await context.clock.sleep(job.durationMs);
      if (!(await hookSucceeds(context, 'job-completed', hooks.completed))) return fail(run);
      await run.completed();
      return 0;
    };
    return await Promise.race([cancelled, work()]);
  };
}

async function hookSucceeds(context: ProcessContext, name: string, hook: Program | undefined): Promise<boolean> {
  return hook === undefined || (await context.spawn(name, hook).ended) === 0;
}

function fail(run: JobRun): number {
  run.lost('hook-failed');
  return 1;
}
