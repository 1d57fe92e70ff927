import type { AwsNeighbours, EventsNeighbour } from '../../account/neighbours.ts';
import type { AwsService, Operations, ResourceProviders } from '../../account/service.ts';
import { Bus } from './bus.ts';
import { putEvents } from './operations/put-events.ts';
import { ruleOperations } from './operations/rules.ts';
import { eventResources } from './resources.ts';

/** Amazon EventBridge: the default bus, its rules and schedules. */
export class Events implements AwsService, EventsNeighbour {
  readonly operations: Operations;
  readonly resources: ResourceProviders;
  readonly #aws: AwsNeighbours;
  readonly #bus: Bus;

  constructor(aws: AwsNeighbours) {
    this.#aws = aws;
    this.#bus = new Bus(aws);
    this.operations = { ...ruleOperations(this.#bus), PutEvents: putEvents(aws, this.#bus) };
    this.resources = eventResources(this.#bus);
  }

  emit(event: {
    source: string;
    detailType: string;
    detail: Readonly<Record<string, unknown>>;
    resources?: readonly string[];
  }): void {
    const { source, detailType, detail, resources } = event;
    this.#aws.engine.journal.record({
      kind: 'event',
      source: 'aws.events',
      name: detailType,
      ...(resources?.[0] === undefined ? {} : { subject: resources[0] }),
    });
    this.#bus.publish({ source, 'detail-type': detailType, detail, resources: resources ?? [] });
  }
}
