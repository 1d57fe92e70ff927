import type { FleetState, JobState } from '@drover/observation/api';
import { useState } from 'preact/hooks';
import { addressOf } from '../route.ts';
import { span, timeOfDay } from '../words.ts';

const filters = ['all', 'waiting', 'running', 'completed', 'lost'] as const;
type Filter = (typeof filters)[number];
const shown = 200;

const kindOf = ({ state }: JobState): Filter =>
  state === 'queued' || state === 'dispatched' ? 'waiting' : (state as Filter);

interface JobsProps {
  readonly fleet: FleetState;
  readonly now: number;
  /** Why jobs that wait are not known. */
  readonly unknown: string | undefined;
  /** Of an account: whether its jobs have been read. */
  readonly read: boolean;
}

/** Jobs, the newest first, with how long they waited and ran. */
export function Jobs({ fleet, now, unknown, read }: JobsProps) {
  const [filter, setFilter] = useState<Filter>('all');
  const jobs = fleet.jobs.filter((job) => filter === 'all' || kindOf(job) === filter);
  return (
    <section class="view" aria-labelledby="jobs-title">
      <h2 id="jobs-title">Jobs</h2>
      <fieldset class="filters">
        <legend class="hidden">Filter</legend>
        {filters.map((name) => (
          <button type="button" aria-pressed={filter === name} onClick={() => setFilter(name)} key={name}>
            {name}
          </button>
        ))}
      </fieldset>
      {unknown !== undefined && <p>{unknown}</p>}
      {jobs.length === 0 && <p>{read ? 'No such job.' : 'Not read yet.'}</p>}
      <table class="listed">
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">State</th>
            <th scope="col">Queued</th>
            <th scope="col">Waited</th>
            <th scope="col">Ran</th>
            <th scope="col">Instance</th>
          </tr>
        </thead>
        <tbody>
          {[...jobs]
            .reverse()
            .slice(0, shown)
            .map((job) => (
              <Row job={job} now={now} key={job.id} />
            ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ job, now }: { readonly job: JobState; readonly now: number }) {
  const { id, title, state, queuedAt, startedAt, endedAt, instance, lostBecause } = job;
  return (
    <tr class={state === 'lost' ? 'trouble' : undefined}>
      <td class="title">
        <a href={addressOf('jobs', `job/${id}`)}>job {id}</a>
        {title === undefined ? '' : ` ${title}`}
      </td>
      <td>{lostBecause === undefined ? state : `lost: ${lostBecause}`}</td>
      <td data-label="queued">{queuedAt === undefined ? '' : timeOfDay(queuedAt)}</td>
      <td data-label="waited">{queuedAt === undefined ? '' : span((startedAt ?? endedAt ?? now) - queuedAt)}</td>
      <td data-label="ran">{startedAt === undefined ? '' : span((endedAt ?? now) - startedAt)}</td>
      <td data-label="on">
        {instance === undefined ? '' : <a href={addressOf('jobs', `instance/${instance}`)}>{instance}</a>}
      </td>
    </tr>
  );
}
