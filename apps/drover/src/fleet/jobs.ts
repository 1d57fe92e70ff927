import { metrics } from '@drover/core/names/runner-fleet';
import { type DroverIo, serviceNow } from '../io.ts';
import { outputNamed } from '../output/read-outputs.ts';
import { duration, type Format, json, recordTable } from '../render/table.ts';
import { logLines, type Since } from './function-log.ts';
import { type OpenFleet, openFleet } from './open-fleet.ts';

/** A job as its runner's agent told of it. */
export interface FleetJob {
  readonly startedAt: string;
  readonly repository: string | null;
  readonly workflow: string | null;
  readonly job: string | null;
  readonly runId: string | null;
  readonly runner: string;
  /** Null while it runs, and if its runner ended without saying. */
  readonly seconds: number | null;
  /** GitHub's word, `Unknown` when the runner did not tell, `running` before the end. */
  readonly result: string;
}

type Event = Readonly<Record<string, unknown>>;

/** `drover fleet jobs`: the jobs that the fleet has run, and those that run now. */
export async function fleetJobs(
  io: DroverIo,
  options: { stack: string; format: Format; since: Since; repo?: string },
): Promise<number> {
  const startTime = options.since(serviceNow(io));
  const all = await readJobs(await openFleet(io, options), startTime);
  const jobs = all.filter(({ repository }) => options.repo === undefined || repository === options.repo);
  if (options.format === 'json') io.stdout(json(jobs));
  else if (jobs.length === 0)
    io.stdout(
      `no job${options.repo === undefined ? '' : ` of ${options.repo}`} since ${new Date(startTime).toISOString()}\n`,
    );
  else io.stdout(`${jobTable(jobs)}${summary(jobs)}\n`);
  return 0;
}

const columns = ['started', 'repository', 'workflow', 'job', 'run', 'runner', 'run time', 'result'] as const;

const jobTable = (jobs: readonly FleetJob[]) =>
  recordTable(
    // In the order of the columns.
    jobs.map(({ seconds, result, ...job }) => {
      const runTime = seconds === null ? null : duration(seconds * 1000);
      return { ...job, runTime, result };
    }),
    ...columns,
  );

function summary(jobs: readonly FleetJob[]): string {
  const ended = jobs.filter(({ seconds }) => seconds !== null);
  const total = ended.reduce((sum, { seconds }) => sum + seconds!, 0);
  const running = jobs.length - ended.length;
  return `${ended.length} ended, ${running} running; ${duration(total * 1000)} of run time`;
}

/** The events of the agents, joined by run, job and runner; oldest first. */
export async function readJobs({ aws, outputs, stack }: OpenFleet, startTime: number): Promise<FleetJob[]> {
  const logGroupName = outputNamed(outputs, stack, 'instance_log_group');
  const jobs = new Map<string, FleetJob>();
  for (const event of ['job-started', 'job-completed']) {
    const filter = { logGroupName, startTime, filterPattern: `{ $.event = "${event}" }` };
    for await (const { at, text } of logLines(aws, filter)) {
      const said = JSON.parse(text) as Event;
      const id = [said.runner, said.runId, said.runAttempt, said.job].join(' ');
      jobs.set(id, jobOf(said, at));
    }
  }
  return [...jobs.values()].sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
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
