import type { Random } from '@drover/core';
import { arn } from '../../account/arn.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import { invalidParameter, type Notification, noTopic, type Subscription, type Topic } from './model.ts';

/** Messages to functions and queues are not modelled. */
const protocols = ['email', 'email-json', 'https', 'http', 'sms'];

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
      throw invalidParameter(`the embedded cloud does not model subscriptions of the protocol ${protocol}`);
    const same = [...topic.subscriptions.values()].find(
      (each) => each.protocol === protocol && each.endpoint === endpoint,
    );
    if (same !== undefined) return same;
    const subscription: Subscription = {
      arn: `${topic.arn}:${this.#random.uuid()}`,
      topicArn: topic.arn,
      protocol,
      endpoint,
      confirmed: false,
    };
    topic.subscriptions.set(subscription.arn, subscription);
    return subscription;
  }

  publish(topic: Topic, { subject, message }: Notification): void {
    for (const { confirmed, protocol, endpoint } of topic.subscriptions.values())
      if (confirmed)
        this.#aws.engine.clock.after(this.#random.int(10, 200), () => {
          this.outbox.push({ at: this.#aws.engine.clock.now(), protocol, endpoint, subject, message });
          if (this.outbox.length > keptMails) this.outbox.shift();
        });
  }
}
