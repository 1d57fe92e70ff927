import type { PutEventsCommandInput, PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { arn } from '../../../account/arn.ts';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import type { Operation } from '../../../account/service.ts';
import type { Bus } from '../bus.ts';
import { validation } from '../errors.ts';
import { requireDefaultBus } from '../state.ts';

/** (API Reference, PutEvents; EventBridge User Guide, "Sending events with PutEvents".) */
const entryLimit = 10;
const sizeLimitBytes = 262_144;

/** PutEvents: each entry succeeds or fails by itself. */
export const putEvents = (aws: AwsNeighbours, bus: Bus): Operation<PutEventsCommandInput> => ({
  permissions: (input) =>
    (input.Entries ?? []).map((entry) => ({
      action: 'events:PutEvents',
      resource: arn(aws, 'events', 'event-bus/default'),
      context: { 'events:source': entry.Source ?? '', 'events:detail-type': entry.DetailType ?? '' },
    })),
  run(input) {
    const entries = input.Entries ?? [];
    if (entries.length === 0 || entries.length > entryLimit)
      throw validation(`Entries has ${entries.length} elements; it must have between 1 and ${entryLimit}`);
    const size = entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
    if (size > sizeLimitBytes) throw validation(`Total size of the entries in the request is over the limit.`);
    const results = entries.map((entry) => putEntry(bus, entry));
    return { FailedEntryCount: results.filter(({ ErrorCode }) => ErrorCode !== undefined).length, Entries: results };
  },
});

/** (EventBridge User Guide, "Calculating PutEvents event entry size".) */
function sizeOf({ Time, Source = '', DetailType = '', Detail = '', Resources = [] }: PutEventsRequestEntry): number {
  const texts = [Source, DetailType, Detail, ...Resources];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), Time === undefined ? 0 : 14);
}

function putEntry(
  bus: Bus,
  entry: PutEventsRequestEntry,
): { EventId?: string; ErrorCode?: string; ErrorMessage?: string } {
  requireDefaultBus(entry.EventBusName);
  const missing = (['Source', 'DetailType', 'Detail'] as const).find((name) => !entry[name]);
  if (missing !== undefined)
    return {
      ErrorCode: 'InvalidArgument',
      ErrorMessage: `Parameter ${missing} is not valid. Reason: ${missing} is a required argument.`,
    };
  if (entry.Source?.startsWith('aws.'))
    return { ErrorCode: 'NotAuthorizedForSourceException', ErrorMessage: `Not authorized for the source.` };
  const detail = parseDetail(entry.Detail ?? '');
  if (detail === undefined) return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  const time = entry.Time === undefined ? {} : { time: entry.Time.toISOString().replace(/\.\d+Z$/, 'Z') };
  const EventId = bus.publish({
    source: entry.Source!,
    'detail-type': entry.DetailType!,
    detail,
    resources: entry.Resources ?? [],
    ...time,
  });
  return { EventId };
}

function parseDetail(text: string): Record<string, unknown> | undefined {
  try {
    const detail: unknown = JSON.parse(text);
    return typeof detail === 'object' && detail !== null && !Array.isArray(detail)
      ? (detail as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
