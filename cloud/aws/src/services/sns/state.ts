import type { Random } from '@drover/core';
import { arn } from '../../account/arn.ts';
import { AwsError } from '../../account/errors.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import { invalidParameter, type Notification, noTopic, type Subscription, type Topic } from './model.ts';

const source = 'sns.amazonaws.com';
const protocols = ['lambda', 'sqs', 'email', 'email-json', 'https', 'http', 'sms'];

/** Mails and web calls that would have gone out, newest last, for consoles and checkers. */
export interface OutgoingMail {
  readonly at: number;
  readonly protocol: string;
  readonly endpoint: string;
  readonly subject: string;
  readonly message: string;
}

const keptMails = 1_000;

/** All topics of the account, by ARN. */
export class Topics {
  readonly all = new Map<string, Topic>();
  readonly outbox: OutgoingMail[] = [];
  readonly #aws: AwsNeighbours;
  readonly #random: Random;

  constructor(aws: AwsNeighbours) {
    this.#aws = aws;
    this.#random = aws.engine.random.fork('sns');
  }

  create(name: string, attributes: Readonly<Record<string, string>>, tags: Readonly<Record<string, string>>): Topic {
    if (name.endsWith('.fifo') || attributes.FifoTopic === 'true')
      throw invalidParameter('the embedded cloud does not model FIFO topics');
    if (!/^[A-Za-z0-9_-]{1,256}$/.test(name)) throw invalidParameter('Topic Name');
    const topicArn = arn(this.#aws, 'sns', name);
    const topic = this.all.get(topicArn) ?? {
      arn: topicArn,
      name,
      attributes: new Map<string, string>(),
      tags: { ...tags },
      subscriptions: new Map<string, Subscription>(),
    };
    for (const [key, value] of Object.entries(attributes)) topic.attributes.set(key, value);
    this.all.set(topicArn, topic);
    return topic;
  }

  get(topicArn: string | undefined): Topic {
    const topic = this.all.get(topicArn ?? '');
    if (topic === undefined) throw noTopic();
    return topic;
  }

  subscribe(topic: Topic, protocol: string, endpoint: string): Subscription {
    if (!protocols.includes(protocol))
      throw invalidParameter(`Amazon SNS does not support this protocol string: ${protocol}`);
    const same = [...topic.subscriptions.values()].find(
      (each) => each.protocol === protocol && each.endpoint === endpoint,
    );
    if (same !== undefined) return same;
    const subscription: Subscription = {
      arn: `${topic.arn}:${this.#random.uuid()}`,
      topicArn: topic.arn,
      protocol,
      endpoint,
      confirmed: protocol === 'lambda' || protocol === 'sqs',
    };
    topic.subscriptions.set(subscription.arn, subscription);
    return subscription;
  }

  publish(topic: Topic, notification: Notification): string {
    const messageId = this.#random.uuid();
    for (const subscription of topic.subscriptions.values())
      if (subscription.confirmed)
        this.#aws.engine.clock.after(this.#random.int(10, 200), () =>
          this.#deliver(topic, subscription, notification, messageId),
        );
    return messageId;
  }

  #deliver(topic: Topic, subscription: Subscription, notification: Notification, messageId: string): void {
    try {
      this.#reach(topic, subscription, notification, messageId);
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      this.#aws.engine.journal.record({
        kind: 'event',
        source: 'aws.sns',
        name: 'delivery failed',
        subject: topic.name,
        detail: { protocol: subscription.protocol, error: error.code },
      });
    }
  }

  #reach(topic: Topic, subscription: Subscription, notification: Notification, messageId: string): void {
    const { protocol, endpoint } = subscription;
    const envelope = this.#envelope(topic, notification, messageId);
    const { message, subject } = notification;
    if (protocol === 'lambda') {
      const records = [
        { EventSource: 'aws:sns', EventVersion: '1.0', EventSubscriptionArn: subscription.arn, Sns: envelope },
      ];
      this.#aws.lambda.invokeAsync(endpoint, { Records: records }, { principal: source, sourceArn: topic.arn });
    } else if (protocol === 'sqs') {
      this.#aws.sqs.sendAs(source, endpoint, JSON.stringify(envelope), topic.arn);
    } else {
      this.outbox.push({ at: this.#aws.engine.clock.now(), protocol, endpoint, subject, message });
      if (this.outbox.length > keptMails) this.outbox.shift();
    }
  }

  #envelope(topic: Topic, { subject, message }: Notification, messageId: string) {
    return {
      Type: 'Notification',
      MessageId: messageId,
      TopicArn: topic.arn,
      ...(subject === '' ? {} : { Subject: subject }),
      Message: message,
      Timestamp: new Date(this.#aws.engine.clock.now()).toISOString(),
      SignatureVersion: '1',
      MessageAttributes: {},
    };
  }
}
