import { AwsError } from '../../account/errors.ts';
import type { AwsNeighbours, SnsNeighbour } from '../../account/neighbours.ts';
import type { ResourceProviders, ResourceService } from '../../account/service.ts';
import type { Topic } from './model.ts';
import { snsResources } from './resources.ts';
import { type OutgoingMail, Topics } from './state.ts';

/** Services that a topic without a policy of its own lets in: its default policy allows whatever the owner's account does there. (SNS Developer Guide, "Example cases for Amazon SNS access control".) */
const allowedByDefault = ['cloudwatch.amazonaws.com', 'autoscaling.amazonaws.com'];

/** Amazon SNS: standard topics. */
export class Sns implements ResourceService, SnsNeighbour {
  readonly resources: ResourceProviders;
  readonly #aws: AwsNeighbours;
  readonly #topics: Topics;

  constructor(aws: AwsNeighbours) {
    this.#aws = aws;
    this.#topics = new Topics(aws);
    this.resources = snsResources(this.#topics);
    aws.iam.registerResourcePolicies('sns', (topicArn) => {
      const document = this.#topics.all.get(topicArn)?.attributes.get('Policy');
      return document ? { document } : undefined;
    });
  }

  /** Mails and web calls that would have gone out, newest last. */
  get outbox(): readonly OutgoingMail[] {
    return this.#topics.outbox;
  }

  /** Confirms an email or web subscription, as its receiver would. */
  confirm(topicArn: string, endpoint: string): void {
    for (const subscription of this.#topics.get(topicArn).subscriptions.values())
      if (subscription.endpoint === endpoint) subscription.confirmed = true;
  }

  /** A message of an AWS service: the topic's policy, and that of the key it is encrypted with, must let it in. */
  publishAs(service: string, topicArn: string, subject: string, message: string, sourceArn: string): void {
    const topic = this.#topics.get(topicArn);
    this.#requirePolicy(service, topic, sourceArn);
    this.#requireKey(service, topic);
    this.#topics.publish(topic, { subject, message });
  }

  #requirePolicy(service: string, topic: Topic, sourceArn: string): void {
    if (!topic.attributes.has('Policy') && allowedByDefault.includes(service)) return;
    const { accountId, iam } = this.#aws;
    const context = { 'aws:SourceArn': sourceArn, 'aws:SourceAccount': accountId, 'aws:SourceOwner': accountId };
    if (iam.serviceMay(service, { action: 'sns:Publish', resource: topic.arn, context })) return;
    throw denied(service, 'sns:Publish', topic.arn);
  }

  /** The key `alias/aws/sns` lets no service in. (SNS Developer Guide, "Enable compatibility between event sources from AWS services and encrypted topics".) */
  #requireKey(service: string, topic: Topic): void {
    const keyId = topic.attributes.get('KmsMasterKeyId');
    if (keyId === undefined || keyId === '') return;
    const resource = this.#aws.kms.arnOf(keyId);
    for (const action of ['kms:GenerateDataKey', 'kms:Decrypt'])
      if (resource === undefined || !this.#aws.iam.serviceMay(service, { action, resource }))
        throw denied(service, action, resource ?? keyId);
  }
}

const denied = (service: string, action: string, resource: string) =>
  new AwsError(
    'AccessDeniedException',
    `${service} is not authorized to perform: ${action} on resource: ${resource}`,
    403,
  );
