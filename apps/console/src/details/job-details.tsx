import type { Observation } from '@drover/observation/api';
import { addressHere } from '../route.ts';
import { span, timeOfDay } from '../words.ts';

/** One job: how long it waited, where it ran, how it ended. */
export function JobDetails({ id, state }: { readonly id: number; readonly state: Observation }) {
  const job = state.fleet.jobs.find((one) => one.id === id);
  if (job === undefined) return <p>Job {id} is no longer kept.</p>;
  const { now } = state.clock;
  const { queuedAt, startedAt, endedAt, instance, lostBecause } = job;
  return (
    <>
      <h2>Job {id}</h2>
      {job.title !== undefined && <p>{job.title}</p>}
      <ol class="story">
        {queuedAt === undefined ? (
          <li>{state.unknown.queue}</li>
        ) : (
          <li>
            <time>{timeOfDay(queuedAt)}</time> queued
          </li>
        )}
        {startedAt === undefined ? (
          endedAt === undefined && queuedAt !== undefined && <li>has waited for {span(now - queuedAt)}</li>
        ) : (
          <li>
            <time>{timeOfDay(startedAt)}</time> started
            {queuedAt === undefined ? '' : ` after ${span(startedAt - queuedAt)}`}
            {instance !== undefined && (
              <>
                {' on '}
                <a href={addressHere(`instance/${instance}`)}>{instance}</a>
              </>
            )}
          </li>
        )}
        {endedAt === undefined ? (
          startedAt !== undefined && <li>has run for {span(now - startedAt)}</li>
        ) : (
          <li class={lostBecause === undefined ? undefined : 'bad'}>
            <time>{timeOfDay(endedAt)}</time>{' '}
            {lostBecause === undefined
              ? `completed after ${span(endedAt - (startedAt ?? queuedAt ?? endedAt))}`
              : `lost: ${lostBecause}`}
          </li>
        )}
      </ol>
    </>
  );
}
