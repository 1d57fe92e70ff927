import type { Connection, Job, ProcessContext, Program, RunnerRegistry } from '@drover/embedded-cloud';
import type { Changes } from './changes.ts';

/** Written by `config.sh`; holds which runner this is. */
export const runnerFile = '/opt/actions-runner/.runner';
export const listenerName = 'Runner.Listener';
export const workerName = 'Runner.Worker';

/** From a job's message to its Worker process. */
const workerStartMs = { least: 500, most: 2_000 };

/** The runner's listener: connects, starts a Worker for each job, leaves on a signal. */
export function runnerListener(registry: RunnerRegistry, changes: Changes): Program {
  return (context) =>
    new Promise((exit) => {
      const { id } = JSON.parse(context.machine.files.get(runnerFile) ?? '{}') as { readonly id: number };
      const connection = registry.connect(id, { deliver: (job) => startWorker(job), revoked: () => leave(2) });
      if (connection === undefined) return exit(1);
      let leaving = false;
      let worker: ReturnType<ProcessContext['spawn']> | undefined;

      const startWorker = (job: Job) => {
        if (leaving) return;
        context.clock.after(context.random.int(workerStartMs.least, workerStartMs.most), () => {
          if (leaving) return;
          worker = context.spawn(workerName, runnerWorker(connection, job), {
            argv: [`/opt/actions-runner/bin/${workerName}`],
          });
          changes.ring();
          void worker.ended.then((code) => {
            if (code !== 0) connection.run(job).lost('worker-killed');
            worker = undefined;
            changes.ring();
          });
        });
      };
      const leave = (code: number) => {
        if (leaving) return;
        leaving = true;
        connection.close();
        exit(code);
      };
      // A signal reaches the whole process group: the Worker cancels its job (github.com/actions/runner, signal handling).
      const interrupted = () => {
        worker?.signal('SIGINT');
        leave(0);
      };
      context.onSignal('SIGINT', interrupted);
      context.onSignal('SIGTERM', interrupted);
      context.signal.addEventListener('abort', () => leaving || connection.vanish(), { once: true });
    });
}

/** One job's process. A signal cancels the job. */
function runnerWorker(connection: Connection, job: Job): Program {
  return (context) =>
    new Promise((exit) => {
      const run = connection.run(job);
      const cancel = () => {
        run.lost('cancelled');
        exit(1);
      };
      context.onSignal('SIGINT', cancel);
      context.onSignal('SIGTERM', cancel);
      run.started();
      void context.clock.sleep(job.durationMs).then(() => {
        run.completed();
        exit(0);
      });
    });
}
