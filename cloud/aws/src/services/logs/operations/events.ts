import type { FilterLogEventsCommandInput, PutLogEventsCommandInput } from '@aws-sdk/client-cloudwatch-logs';
import { pageOf } from '../../../account/paging.ts';
import type { Operations } from '../../../account/service.ts';
import { compileFilter } from '../filter-pattern.ts';
import { invalidParameter, type LogEvent } from '../model.ts';
import type { LogGroups } from '../state.ts';
import { badToken, next, onGroup } from './groups.ts';

/** (API Reference, PutLogEvents, GetLogEvents, FilterLogEvents.) */
const batchLimit = 10_000;
const pageLimit = 10_000;

/** Writing and reading events. */
export const eventOperations = (groups: LogGroups): Operations => ({
  PutLogEvents: {
    permissions: (input: PutLogEventsCommandInput) => [
      onGroup(groups, 'PutLogEvents', input.logGroupName, input.logStreamName),
    ],
    run: (input: PutLogEventsCommandInput) => putEvents(groups, input),
  },
  FilterLogEvents: {
    permissions: (input: FilterLogEventsCommandInput) => [
      onGroup(groups, 'FilterLogEvents', input.logGroupName ?? input.logGroupIdentifier),
    ],
    run: (input: FilterLogEventsCommandInput) => filterEvents(groups, input),
  },
});

function putEvents(groups: LogGroups, input: PutLogEventsCommandInput) {
  const group = groups.get(input.logGroupName);
  const stream = groups.stream(group, input.logStreamName);
  const events = input.logEvents ?? [];
  if (events.length === 0 || events.length > batchLimit)
    throw invalidParameter(`logEvents has ${events.length} events; it must have between 1 and ${batchLimit}`);
  for (let index = 1; index < events.length; index++)
    if (events[index]!.timestamp! < events[index - 1]!.timestamp!)
      throw invalidParameter('Log events in a single PutLogEvents request must be in chronological order.');
  for (const { message, timestamp } of events) groups.add(group, stream, message ?? '', timestamp);
  return { nextSequenceToken: String(group.events.length) };
}

const inTime = (event: LogEvent, from: number | undefined, to: number | undefined) =>
  event.timestamp >= (from ?? 0) && event.timestamp < (to ?? Number.POSITIVE_INFINITY);

function filterEvents(groups: LogGroups, input: FilterLogEventsCommandInput) {
  const group = groups.get(input.logGroupName ?? input.logGroupIdentifier);
  const matches = compileFilter(input.filterPattern ?? '');
  const streams = input.logStreamNames;
  const found = groups
    .events(group)
    .filter((event) => inTime(event, input.startTime, input.endTime === undefined ? undefined : input.endTime + 1))
    .filter(({ stream }) => streams === undefined || streams.includes(stream))
    .filter(({ stream }) => stream.startsWith(input.logStreamNamePrefix ?? ''))
    .filter(({ message }) => matches(message))
    .sort((a, b) => a.timestamp - b.timestamp);
  const page = pageOf(found, input.nextToken, Math.min(input.limit ?? pageLimit, pageLimit), badToken);
  const events = page.items.map(({ id, stream, timestamp, message, ingestedAt }) => ({
    eventId: id,
    logStreamName: stream,
    timestamp,
    message,
    ingestionTime: ingestedAt,
  }));
  return { events, searchedLogStreams: [], ...next(page.nextToken) };
}
