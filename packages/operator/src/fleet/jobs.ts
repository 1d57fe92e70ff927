import { groupDimension, metrics } from '@drover/core/names/runner-fleet';
import type { Interruption, JobNote, JobsMemory } from '@drover/runner-fleet';
import { type DroverIo, serviceNow } from '../io.ts';
import { outputNamed } from '../output/read-outputs.ts';
import { duration, type Format, json, recordTable } from '../render/table.ts';
import { logLines, type Since } from './function-log.ts';
import { type OpenFleet, openFleet } from './open-fleet.ts';

/** A job as its runner's agent reported it. */
export interface FleetJob {
  /** Null while it waits. */
  readonly startedAt: string | null;
  readonly repository: string | null;
  readonly workflow: string | null;
  readonly job: string | null;
  readonly runId: string | null;
  /** In a fleet with types: its type; null if neither its event nor the newest messages show it. */
  readonly type?: string | null;
  /** Null while it waits. */
  readonly runner: string | null;
  /** In jobs mode: for how long it waited for a runner; null if the newest messages do not show it. */
  readonly waitSeconds?: number | null;
  /** Null while it waits or runs, and if its runner ended without saying. */
  readonly seconds: number | null;
  /**
   * GitHub's word, `Unknown` when the runner did not report it, `waiting` and `running` before the end; `interrupted` when EC2 takes its
   * instance back, `run again` when GitHub has run it again after that.
   */
  readonly result: string;
}

type Event = Readonly<Record<string, unknown>>;

/** Jobs in a table, unless the user says otherwise. */
const shownJobs = 50;

/** `drover fleet jobs`: the jobs that the fleet has run, and those that run now, newest first. */
export async function fleetJobs(
  io: DroverIo,
  options: { stack: string; format: Format; since: Since; type?: string; repo?: string; limit?: number },
): Promise<number> {
  const now = serviceNow(io);
  const startTime = options.since(now);
  const fleet = await openFleet(io, options);
  const told = await readJobs(fleet, startTime);
  const all = fleet.ports.jobsMode ? withNotes(told, await notesOf(fleet), now) : told;
  const { repo, type } = options;
  const isAsked = (job: FleetJob) =>
    (repo === undefined || job.repository === repo) &&
    (type === undefined || job.type === undefined || job.type === type);
  const jobs = all.filter(isAsked).reverse();
  if (options.format === 'json') io.stdout(json(jobs.slice(0, options.limit)));
  else if (jobs.length === 0) {
    const which = `${type === undefined ? '' : ` of type ${type}`}${repo === undefined ? '' : ` of ${repo}`}`;
    io.stdout(`no job${which} since ${new Date(startTime).toISOString()}\n`);
  } else io.stdout(textOf(jobs, options.limit ?? shownJobs));
  return 0;
}

function textOf(jobs: readonly FleetJob[], limit: number): string {
  const rest = jobs.length > limit ? `the newest ${limit} of ${jobs.length} (--limit shows more): ` : '';
  return `${jobTable(jobs.slice(0, limit))}${rest}${summary(jobs)}\n`;
}

function jobTable(jobs: readonly FleetJob[]): string {
  const shown = (seconds: number | null) => (seconds === null ? null : duration(seconds * 1000));
  const rows = jobs.map((job) => ({
    started: job.startedAt,
    repository: job.repository,
    workflow: job.workflow,
    job: job.job,
    run: job.runId,
    ...(job.type === undefined ? {} : { type: job.type }),
    runner: job.runner,
    ...(job.waitSeconds === undefined ? {} : { waited: shown(job.waitSeconds) }),
    'run time': shown(job.seconds),
    result: job.result,
  }));
  return recordTable(rows, ...Object.keys(rows[0]!));
}

function summary(jobs: readonly FleetJob[]): string {
  const ended = jobs.filter(({ seconds }) => seconds !== null);
  const total = ended.reduce((sum, { seconds }) => sum + seconds!, 0);
  const waiting = jobs.filter(({ startedAt }) => startedAt === null).length;
  const running = jobs.length - ended.length - waiting;
  const waits = waiting === 0 ? '' : `, ${waiting} waiting`;
  return `${ended.length} ended, ${running} running${waits}; ${duration(total * 1000)} of run time`;
}

/** Notes of the last windows about the jobs and hosts of a type. */
interface TypeNotes extends Pick<JobsMemory, 'jobs' | 'hosts' | 'interrupted'> {
  readonly type: string;
}

const notesOf = ({ groups }: OpenFleet): Promise<TypeNotes[]> =>
  Promise.all(groups.map(async ({ type, ports }) => ({ type, ...(await ports.memory.read()).jobs })));

/**
 * Adds facts from the scale sets' messages: how long each job waited, found by its runner, which has one job; its type,
 * if its event does not have it yet; whether it was interrupted; and those that wait.
 */
function withNotes(told: readonly FleetJob[], notes: readonly TypeNotes[], now: number): FleetJob[] {
  const noted = notes.flatMap(({ type, jobs = {} }) => Object.values(jobs).map((note) => ({ type, ...note })));
  const byRunner = new Map(noted.map((note) => [note.runnerName, note]));
  const typeOf = (runner: string) =>
    byRunner.get(runner)?.type ?? notes.find(({ hosts = {} }) => runner in hosts)?.type ?? null;
  const waiting = noted.filter(({ startedAt, completedAt }) => startedAt === undefined && completedAt === undefined);
  const interrupted = new Map(notes.flatMap(({ interrupted: known = {} }) => Object.entries(known)));
  const wait = (note: JobNote | undefined, until: number) =>
    note?.queuedAt === undefined ? null : Math.max(0, Math.round((until - note.queuedAt) / 1000));
  return [
    ...told.map((job) => ({
      ...job,
      ...(job.type === null ? { type: typeOf(job.runner ?? '') } : {}),
      ...(job.seconds === null ? resultOf(interrupted.get(job.runner ?? '')) : {}),
      waitSeconds: wait(byRunner.get(job.runner ?? ''), Date.parse(job.startedAt ?? '')),
    })),
    ...waiting.map((note) => ({
      startedAt: null,
      repository: note.repository,
      workflow: null,
      job: note.name,
      runId: null,
      ...(notes.length === 1 ? {} : { type: note.type }),
      runner: null,
      waitSeconds: wait(note, now),
      seconds: null,
      result: 'waiting',
    })),
  ];
}

/** The end of a job that its host could not report any more. */
function resultOf(interruption: Interruption | undefined): { readonly result?: string } {
  if (interruption === undefined || interruption.settled === 'ended') return {};
  return { result: interruption.settled === 'run-again' ? 'run again' : 'interrupted' };
}

/** The events of the agents, joined by run, job and runner; oldest first. */
export async function readJobs({ aws, outputs, stack, groups }: OpenFleet, startTime: number): Promise<FleetJob[]> {
  const logGroupName = outputNamed(outputs, stack, 'instance_log_group');
  const jobs = new Map<string, FleetJob>();
  for (const event of ['job-started', 'job-completed']) {
    const filter = { logGroupName, startTime, filterPattern: `{ $.event = "${event}" }` };
    for await (const { at, text } of logLines(aws, filter)) {
      const said = JSON.parse(text) as Event;
      const id = [said.runner, said.runId, said.runAttempt, said.job].join(' ');
      const type = groups.find(({ groupName }) => groupName === said[groupDimension])?.type ?? null;
      jobs.set(id, { ...jobOf(said, at), ...(groups.length === 1 ? {} : { type }) });
    }
  }
  return [...jobs.values()].sort((a, b) => (a.startedAt! < b.startedAt! ? -1 : 1));
}

function jobOf(said: Event, at: number): FleetJob {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const ended = said.event === 'job-completed';
  return {
    startedAt: text(said.startedAt) ?? new Date(at).toISOString(),
    repository: text(said.repository),
    workflow: text(said.workflow),
    job: text(said.job),
    runId: text(said.runId),
    runner: String(said.runner),
    seconds: ended ? Number(said[metrics.jobSeconds]) : null,
    result: ended ? String(said.result) : 'running',
  };
}
