import type {
  FilterLogEventsCommandInput,
  InputLogEvent,
  PutLogEventsCommandInput,
} from '@aws-sdk/client-cloudwatch-logs';
import { pageOf } from '../../../account/paging.ts';
import type { Operations } from '../../../account/service.ts';
import { compileFilter } from '../filter-pattern.ts';
import { invalidParameter, type LogEvent, type LogGroup } from '../model.ts';
import type { LogGroups } from '../state.ts';
import { badToken, next, onGroup } from './groups.ts';

/** (API Reference, PutLogEvents, GetLogEvents, FilterLogEvents.) */
const batchLimit = 10_000;
/** Each event counts its text in UTF-8 and 26 bytes more. */
const batchBytes = 1_048_576;
const eventBytes = 26;
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
  if (events.some(({ message }) => (message ?? '') === ''))
    throw invalidParameter('1 validation error detected: a message must have length greater than or equal to 1');
  const bytes = events.reduce((sum, { message = '' }) => sum + Buffer.byteLength(message) + eventBytes, 0);
  if (bytes > batchBytes) throw invalidParameter(`Upload too large: ${bytes} bytes exceeds limit of ${batchBytes}`);
  for (let index = 1; index < events.length; index++)
    if (events[index]!.timestamp! < events[index - 1]!.timestamp!)
      throw invalidParameter('Log events in a single PutLogEvents request must be in chronological order.');
  if (events.at(-1)!.timestamp! - events[0]!.timestamp! > dayMs)
    throw invalidParameter('The batch of log events in a single PutLogEvents request cannot span more than 24 hours.');
  const { first, end, rejected } = acceptable(groups.now, group, events);
  for (const { message = '', timestamp } of events.slice(first, end)) groups.add(group, stream, message, timestamp);
  return {
    nextSequenceToken: String(group.events.length),
    ...(Object.keys(rejected).length === 0 ? {} : { rejectedLogEventsInfo: rejected }),
  };
}

const dayMs = 86_400_000;

/** None more than two hours in the future, none older than 14 days or than the retention of the group. (API Reference, PutLogEvents.) */
function acceptable(now: number, { retentionDays }: LogGroup, events: readonly InputLogEvent[]) {
  const before = (moment: number) => events.filter(({ timestamp = 0 }) => timestamp < moment).length;
  const tooOld = before(now - 14 * dayMs);
  const expired = retentionDays === undefined ? 0 : before(now - retentionDays * dayMs);
  const end = before(now + 2 * 3_600_000 + 1);
  const rejected = {
    ...(tooOld === 0 ? {} : { tooOldLogEventEndIndex: tooOld }),
    ...(expired === 0 ? {} : { expiredLogEventEndIndex: expired }),
    ...(end === events.length ? {} : { tooNewLogEventStartIndex: end }),
  };
  return { first: Math.max(tooOld, expired), end, rejected };
}

const inTime = (event: LogEvent, from: number | undefined, to: number | undefined) =>
  event.timestamp >= (from ?? 0) && event.timestamp < (to ?? Number.POSITIVE_INFINITY);

/**
 * "A returned page might only be partially full, or even empty. [That doesn't] necessarily mean that pagination is finished."
 * (API Reference, FilterLogEvents.) Here the first page of a search that finds something is always empty, and the others are
 * half full: only a missing token ends a search.
 */
function searchPage(found: readonly LogEvent[], token: string | undefined, limit: number) {
  if (token === undefined && found.length > 0) return { items: [], nextToken: firstToken };
  return pageOf(found, token === firstToken ? undefined : token, Math.ceil(limit / 2), badToken);
}

const firstToken = 'search/begun';

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
  const page = searchPage(found, input.nextToken, Math.min(input.limit ?? pageLimit, pageLimit));
  const events = page.items.map(({ id, stream, timestamp, message, ingestedAt }) => ({
    eventId: id,
    logStreamName: stream,
    timestamp,
    message,
    ingestionTime: ingestedAt,
  }));
  return { events, searchedLogStreams: [], ...next(page.nextToken) };
}
