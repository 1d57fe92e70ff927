import type { Clock } from '@drover/core';
import { GitHubError, notFound } from '../http/responses.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import type { Job } from '../model.ts';
import { onlyBranch, type RepositoryFiles } from './repository-files.ts';
import { type Workflow, type WorkflowJob, workflowOf } from './workflow-file.ts';

/** A run of a workflow that was started by hand. */
export interface WorkflowRun {
  readonly id: number;
  readonly repository: string;
  readonly path: string;
  readonly name: string;
  readonly title: string;
  readonly number: number;
  readonly createdAt: number;
  readonly jobs: RunJob[];
  attempt: number;
}

/** A job of a run in one attempt. */
export interface RunJob {
  readonly attempt: number;
  readonly definition: WorkflowJob;
  readonly job: Job;
}

export type Progress = 'queued' | 'in_progress' | 'completed';

/** Ids of runs are not those of jobs that belong to no run. */
const firstRunId = 7_000_000_001;
/** A file that was pushed is a workflow a moment later; how much later is not documented. */
const indexedAfterMs = 2_000;
/** docs.github.com, "Re-run workflows and jobs". */
const mostAttempts = 50;
const longestAgeMs = 30 * 24 * 3_600_000;

/** Runs of workflows: docs.github.com, "REST API endpoints for workflows", "… for workflow runs", "… for workflow jobs". */
export class WorkflowRuns {
  readonly #clock: Clock;
  readonly #queue: JobQueue;
  readonly #files: RepositoryFiles;
  readonly #runs = new Map<number, WorkflowRun>();
  #started = 0;

  constructor(clock: Clock, queue: JobQueue, files: RepositoryFiles) {
    this.#clock = clock;
    this.#queue = queue;
    this.#files = files;
  }

  /** The newest first. */
  of(repository: string): readonly WorkflowRun[] {
    return [...this.#runs.values()].filter((run) => isSame(run.repository, repository)).reverse();
  }

  find(repository: string, id: number): WorkflowRun {
    const run = this.#runs.get(id);
    if (run === undefined || !isSame(run.repository, repository)) throw notFound();
    return run;
  }

  /** Starts a workflow: the file's name within `.github/workflows`. */
  dispatch(repository: string, file: string, ref: string, inputs: Readonly<Record<string, unknown>>): WorkflowRun {
    const path = `.github/workflows/${file}`;
    const found = this.#files.get(repository, path);
    if (found === undefined || this.#clock.now() - found.since < indexedAfterMs) throw notFound();
    if (ref !== onlyBranch && ref !== `refs/heads/${onlyBranch}`)
      throw new GitHubError(422, `No ref found for: ${ref}`);
    return this.start(repository, path, workflowOf(path, found.content, inputs));
  }

  /** Starts a workflow, whatever its trigger. */
  start(repository: string, path: string, { name, title, jobs }: Workflow): WorkflowRun {
    const [number, createdAt] = [++this.#started, this.#clock.now()];
    const id = firstRunId + number;
    const run: WorkflowRun = { id, repository, path, name, title, number, createdAt, jobs: [], attempt: 1 };
    this.#runs.set(id, run);
    for (const definition of jobs) this.#enqueue(run, definition);
    return run;
  }

  /** The last attempt of each job. */
  latest({ jobs }: WorkflowRun): readonly RunJob[] {
    return [...new Map(jobs.map((one) => [one.definition, one])).values()];
  }

  progress(run: WorkflowRun): Progress {
    const all = this.latest(run).map(({ job }) => progressOf(job));
    if (all.every((one) => one === 'completed')) return 'completed';
    return all.every((one) => one === 'queued') ? 'queued' : 'in_progress';
  }

  /** Jobs that wait are cancelled; one that a runner has goes on to its end, where GitHub would stop it. */
  cancel(run: WorkflowRun): void {
    if (this.progress(run) === 'completed')
      throw new GitHubError(409, 'Cannot cancel a workflow run that is completed.');
    for (const { job } of this.latest(run)) this.#queue.cancel(job);
  }

  delete(run: WorkflowRun): void {
    if (this.progress(run) !== 'completed') throw new GitHubError(403, 'Could not delete the workflow run');
    this.#runs.delete(run.id);
  }

  /**
   * Runs one job again. Refused while its run is not completed: seen by others (NVIDIA-NeMo/RL pull request 1193, cli/cli issue 9221), whose
   * words these are; GitHub documents a 403 without a reason.
   */
  rerun(repository: string, jobId: number): void {
    const run = this.of(repository).find(({ jobs }) => jobs.some(({ job }) => job.id === jobId));
    const last = run && this.latest(run).find(({ job }) => job.id === jobId);
    if (run === undefined || last === undefined) throw notFound();
    if (this.progress(run) !== 'completed')
      throw new GitHubError(403, 'The workflow run containing this job is already running');
    if (this.#clock.now() - run.createdAt > longestAgeMs || run.attempt > mostAttempts)
      throw new GitHubError(403, 'Unable to retry this workflow run because it was created over a month ago');
    run.attempt += 1;
    this.#enqueue(run, last.definition);
  }

  #enqueue(run: WorkflowRun, definition: WorkflowJob): void {
    const { labels, script, uses, name, durationMs = 60_000 } = definition;
    const job = this.#queue.enqueue({
      durationMs,
      runsOn: labels,
      repository: run.repository,
      run: { id: run.id, name },
      ...(script === '' ? {} : { script }),
      ...(uses === undefined ? {} : { uses }),
    });
    run.jobs.push({ attempt: run.attempt, definition, job });
  }
}

export function progressOf({ state, acquiredAt }: Job): Progress {
  if (state === 'completed' || state === 'lost') return 'completed';
  return state === 'queued' || acquiredAt === undefined ? 'queued' : 'in_progress';
}

/** GitHub's word for how a job ended; null while it has not. */
export function conclusionOf(job: Job): 'success' | 'failure' | 'cancelled' | null {
  if (progressOf(job) !== 'completed') return null;
  if (job.result === 'canceled' || job.lostBecause === 'queued-too-long') return 'cancelled';
  return job.state === 'completed' && job.result !== 'failed' ? 'success' : 'failure';
}

const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
