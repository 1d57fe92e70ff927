import { AwsError } from '../../account/errors.ts';
import type { AwsNeighbours, LogsNeighbour } from '../../account/neighbours.ts';
import type { AwsService, Operations, ResourceProviders } from '../../account/service.ts';
import type { LogEvent } from './model.ts';
import { eventOperations } from './operations/events.ts';
import { filterOperations, policyOperations } from './operations/filters.ts';
import { groupOperations } from './operations/groups.ts';
import { logResources } from './resources.ts';
import { LogGroups } from './state.ts';

/** Amazon CloudWatch Logs, with bounded memory. */
export class Logs implements AwsService, LogsNeighbour {
  readonly operations: Operations;
  readonly resources: ResourceProviders;
  readonly #aws: AwsNeighbours;
  readonly #groups: LogGroups;
  readonly #policies = new Map<string, string>();
  #merged: object | undefined;

  constructor(aws: AwsNeighbours) {
    this.#aws = aws;
    this.#groups = new LogGroups(aws);
    const changed = () => this.#mergePolicies();
    this.operations = {
      ...groupOperations(this.#groups),
      ...eventOperations(this.#groups),
      ...filterOperations(this.#groups),
      ...policyOperations(this.#policies, () => aws.engine.clock.now(), changed),
    };
    this.resources = logResources(this.#groups, this.#policies, changed);
    aws.iam.registerResourcePolicies('logs', () =>
      this.#merged === undefined ? undefined : { document: this.#merged },
    );
  }

  append(logGroup: string, logStream: string, message: string): void {
    const group = this.#groups.all.get(logGroup) ?? this.#groups.create(logGroup);
    const stream = group.streams.get(logStream) ?? this.#groups.createStream(group, logStream);
    this.#groups.add(group, stream, message);
  }

  /** A line of an AWS service, which a resource policy of the account must let in; the group must be there. */
  appendAs(service: string, logGroup: string, logStream: string, message: string): void {
    const resource = `${this.#groups.arnOf(this.#groups.get(logGroup).name)}:log-stream:${logStream}`;
    for (const action of ['logs:CreateLogStream', 'logs:PutLogEvents'])
      if (!this.#aws.iam.serviceMay(service, { action, resource }))
        throw new AwsError(
          'AccessDeniedException',
          `${service} is not authorized to perform: ${action} on ${resource}`,
        );
    this.append(logGroup, logStream, message);
  }

  exists(logGroup: string): boolean {
    return this.#groups.all.has(logGroup);
  }

  /** Lines of a group, oldest first, for consoles and checkers. */
  lines(logGroup: string): readonly LogEvent[] {
    const group = this.#groups.all.get(logGroup);
    return group === undefined ? [] : this.#groups.events(group);
  }

  /** All resource policies of the account count for every group. */
  #mergePolicies(): void {
    const statements = [...this.#policies.values()].flatMap(
      (text) => (JSON.parse(text) as { Statement: unknown[] }).Statement,
    );
    this.#merged = statements.length === 0 ? undefined : { Version: '2012-10-17', Statement: statements.flat() };
  }
}
