import type { AwsNeighbours, LogsNeighbour } from '../../account/neighbours.ts';
import type { AwsService, Operations, ResourceProviders } from '../../account/service.ts';
import type { LogEvent } from './model.ts';
import { eventOperations } from './operations/events.ts';
import { groupOperations } from './operations/groups.ts';
import { logResources } from './resources.ts';
import { LogGroups } from './state.ts';

/** Amazon CloudWatch Logs, with bounded memory. */
export class Logs implements AwsService, LogsNeighbour {
  readonly operations: Operations;
  readonly resources: ResourceProviders;
  readonly #groups: LogGroups;

  constructor(aws: AwsNeighbours) {
    this.#groups = new LogGroups(aws);
    this.operations = {
      ...groupOperations(this.#groups),
      ...eventOperations(this.#groups),
    };
    this.resources = logResources(this.#groups);
  }

  append(logGroup: string, logStream: string, message: string): void {
    const group = this.#groups.all.get(logGroup) ?? this.#groups.create(logGroup);
    const stream = group.streams.get(logStream) ?? this.#groups.createStream(group, logStream);
    this.#groups.add(group, stream, message);
  }

  exists(logGroup: string): boolean {
    return this.#groups.all.has(logGroup);
  }

  /** Lines of a group, oldest first, for consoles and checkers. */
  lines(logGroup: string): readonly LogEvent[] {
    const group = this.#groups.all.get(logGroup);
    return group === undefined ? [] : this.#groups.events(group);
  }

  /** The newest lines of a group back to the first that is older than `sinceMs`, oldest first. */
  linesSince(logGroup: string, sinceMs: number): readonly LogEvent[] {
    const events = this.#groups.all.get(logGroup)?.events ?? [];
    return events.slice(events.findLastIndex(({ timestamp }) => timestamp < sinceMs) + 1);
  }
}
