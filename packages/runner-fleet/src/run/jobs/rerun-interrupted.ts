import { TerminalError } from '@drover/core';
import { decideRerun, dueLooks } from '../../decide/jobs/decide-rerun.ts';
import type { DemandPorts, RunId, WorkflowRuns } from '../../jobs-ports.ts';
import type { Interruption } from '../../model/jobs.ts';
import { failureFields } from '../failure-fields.ts';
import type { Window } from './take-lease.ts';

/** Looks at the runs of interrupted jobs, and asks the platform to run them again. What fails is tried again. */
export async function rerunInterrupted(ports: DemandPorts, window: Window): Promise<void> {
  const { runs, clock } = ports;
  for (const instance of runs === undefined ? [] : dueLooks(window.jobs.interrupted, clock.now())) {
    const { name: job, repository, runId: run } = window.jobs.interrupted![instance]!;
    const log = ports.log.with({ instance, job, repository, run });
    try {
      await lookAtRun({ runs: runs!, clock, log }, window, instance);
    } catch (error) {
      log.warn('an interrupted job waits', failureFields(error));
      // The platform is away, or asks for a pause: that holds for all.
      if (!(error instanceof TerminalError)) return;
      await note(window, instance, { askedAt: clock.now(), refused: error.message, rerunAt: undefined });
    }
  }
}

async function lookAtRun(
  { runs, clock, log }: Pick<DemandPorts, 'clock' | 'log'> & { readonly runs: WorkflowRuns },
  window: Window,
  instance: string,
): Promise<void> {
  const interrupted = window.jobs.interrupted!;
  const own = interrupted[instance] as Interruption & RunId;
  const run = await runs.find(own);
  const jobs = run.completed ? await runs.jobs(own) : [];
  const askedAt = clock.now();
  const { jobId, ...change } = decideRerun(interrupted, instance, { run, jobs }, askedAt);
  if (change.settled !== undefined) log.info('an interrupted job is settled', change);
  // Written first: who dies now leaves the attempt as it is, and the next look asks again.
  await note(window, instance, { askedAt, ...change, ...(jobId === undefined ? {} : { rerunAt: askedAt }) });
  if (jobId === undefined) return;
  const outcome = await runs.rerunJob(own.repository, jobId);
  log.info('an interrupted job is run again', { outcome });
  // Someone else was faster, unless a window before has asked.
  if (outcome === 'running') await note(window, instance, { rerunAt: own.rerunAt });
}

/** A refusal is over as soon as another look succeeds. */
const note = (window: Window, instance: string, change: Partial<Interruption>): Promise<void> =>
  window.write((jobs) => ({
    ...jobs,
    interrupted: {
      ...jobs.interrupted,
      [instance]: { ...jobs.interrupted![instance]!, refused: undefined, ...change },
    },
  }));
