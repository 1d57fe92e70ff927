import { AwsError } from '../../account/errors.ts';
import type { AwsNeighbours, SqsNeighbour } from '../../account/neighbours.ts';
import type { AwsService, Operations, ResourceProviders } from '../../account/service.ts';
import { sqsOperations } from './operations.ts';
import { sqsResources } from './resources.ts';
import { Queues } from './state.ts';

/** Amazon SQS: standard queues. */
export class Sqs implements AwsService, SqsNeighbour {
  readonly operations: Operations;
  readonly resources: ResourceProviders;
  readonly #aws: AwsNeighbours;
  readonly #queues: Queues;

  constructor(aws: AwsNeighbours) {
    this.#aws = aws;
    this.#queues = new Queues(aws);
    this.operations = sqsOperations(this.#queues);
    this.resources = sqsResources(this.#queues);
    aws.iam.registerResourcePolicies('sqs', (arn) => {
      const document = this.#queues.all.get(arn.split(':').at(-1) ?? '')?.attributes.get('Policy');
      return document ? { document } : undefined;
    });
  }

  send(queueArn: string, body: string): void {
    this.#queues.send(this.#queues.byArn(queueArn), body, this.#aws.accountId);
  }

  /** A message of an AWS service, which the queue's policy must let in. */
  sendAs(service: string, queueArn: string, body: string, sourceArn: string): void {
    const queue = this.#queues.byArn(queueArn);
    const context = { 'aws:SourceArn': sourceArn, 'aws:SourceAccount': this.#aws.accountId };
    if (!this.#aws.iam.serviceMay(service, { action: 'sqs:SendMessage', resource: queueArn, context }))
      throw new AwsError(
        'AccessDeniedException',
        `${service} is not authorized to perform: sqs:SendMessage on resource: ${queue.arn}`,
        403,
      );
    this.#queues.send(queue, body, service);
  }
}
