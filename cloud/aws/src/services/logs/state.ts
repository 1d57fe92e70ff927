import { arn } from '../../account/arn.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import { extractMetrics } from './embedded-metrics.ts';
import { alreadyExists, invalidParameter, type LogEvent, type LogGroup, type LogStream, notFound } from './model.ts';

/** Events of one group that are kept in memory. */
const keptEvents = 5_000;
/** Streams of one group that are remembered; the oldest go first. */
const keptStreams = 2_000;

/** Days that a retention policy may name. (API Reference, PutRetentionPolicy.) */
const retentionChoices = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

/** All log groups of the account, by name. */
export class LogGroups {
  readonly all = new Map<string, LogGroup>();
  readonly #aws: AwsNeighbours;
  #nextId = 0;

  constructor(aws: AwsNeighbours) {
    this.#aws = aws;
  }

  get now(): number {
    return this.#aws.engine.clock.now();
  }

  /** ARN of the group; with `:*` it stands for its streams, as templates and policies write it. */
  arnOf(name: string): string {
    return arn(this.#aws, 'logs', `log-group:${name}`);
  }

  create(name: string, settings: Partial<Pick<LogGroup, 'retentionDays' | 'kmsKeyId' | 'tags'>> = {}): LogGroup {
    if (!/^[.\-_/#A-Za-z0-9]{1,512}$/.test(name)) throw invalidParameter(`log group name ${name} is not valid`);
    if (this.all.has(name)) throw alreadyExists('log group');
    const group: LogGroup = {
      name,
      createdAt: this.now,
      retentionDays: validRetention(settings.retentionDays),
      kmsKeyId: settings.kmsKeyId,
      tags: { ...settings.tags },
      streams: new Map(),
      events: [],
      storedBytes: 0,
    };
    this.all.set(name, group);
    return group;
  }

  get(name: string | undefined): LogGroup {
    const group = this.all.get(nameOf(name ?? ''));
    if (group === undefined) throw notFound('log group');
    return group;
  }

  stream(group: LogGroup, name: string | undefined): LogStream {
    const stream = group.streams.get(name ?? '');
    if (stream === undefined) throw notFound('log stream');
    return stream;
  }

  createStream(group: LogGroup, name: string): LogStream {
    if (group.streams.has(name)) throw alreadyExists('log stream');
    const stream: LogStream = { name, createdAt: this.now, storedBytes: 0 };
    group.streams.set(name, stream);
    if (group.streams.size > keptStreams) group.streams.delete(group.streams.keys().next().value!);
    return stream;
  }

  setRetention(group: LogGroup, days: number | undefined): void {
    group.retentionDays = validRetention(days);
  }

  add(group: LogGroup, stream: LogStream, message: string, timestamp = this.now): void {
    const bytes = message.length + 26;
    const event: LogEvent = {
      id: String(this.#nextId++).padStart(56, '0'),
      stream: stream.name,
      timestamp,
      ingestedAt: this.now,
      message,
    };
    group.events.push(event);
    group.storedBytes += bytes;
    stream.storedBytes += bytes;
    stream.firstEventAt ??= timestamp;
    stream.lastEventAt = timestamp;
    stream.lastIngestedAt = this.now;
    if (group.events.length > keptEvents * 1.25) this.#forget(group);
    extractMetrics(message, this.#aws.cloudwatch);
  }

  /** Oldest first, without what retention has taken away. */
  events(group: LogGroup): readonly LogEvent[] {
    const { retentionDays } = group;
    const since = retentionDays === undefined ? 0 : this.now - retentionDays * 86_400_000;
    return group.events.filter(({ timestamp }) => timestamp >= since);
  }

  #forget(group: LogGroup): void {
    group.events.splice(0, group.events.length - keptEvents);
  }
}

/** A group may also be named by its ARN. */
const nameOf = (id: string) => /^arn:[^:]+:logs:[^:]*:[^:]*:log-group:([^:]+)/.exec(id)?.[1] ?? id;

function validRetention(days: number | undefined): number | undefined {
  if (days !== undefined && !retentionChoices.includes(days))
    throw invalidParameter(`retentionInDays is ${days}; it must be one of ${retentionChoices.join(', ')}`);
  return days;
}
