import type { Random } from '@drover/core';
import { arn } from '../../account/arn.ts';
import { AwsError } from '../../account/errors.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import { noQueue, numberOf, type Queue, type QueuedMessage, validAttribute } from './model.ts';

/** Messages that one queue holds at most; the oldest are dropped beyond that. AWS has no limit. */
const keptMessages = 50_000;

/** All queues of the account, by name. */
export class Queues {
  readonly all = new Map<string, Queue>();
  readonly #aws: AwsNeighbours;
  readonly #random: Random;

  constructor(aws: AwsNeighbours) {
    this.#aws = aws;
    this.#random = aws.engine.random.fork('sqs');
  }

  get now(): number {
    return this.#aws.engine.clock.now();
  }

  create(name: string, attributes: Readonly<Record<string, string>>, tags: Readonly<Record<string, string>>): Queue {
    if (name.endsWith('.fifo'))
      throw new AwsError('UnsupportedOperation', 'the embedded cloud does not model FIFO queues');
    if (!/^[A-Za-z0-9_-]{1,80}$/.test(name))
      throw new AwsError(
        'InvalidParameterValue',
        'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length',
      );
    const before = this.all.get(name);
    if (before !== undefined) return this.#same(before, attributes);
    const queue: Queue = {
      name,
      url: `https://sqs.${this.#aws.region}.amazonaws.com/${this.#aws.accountId}/${name}`,
      arn: this.arnOf(name),
      createdAt: this.now,
      modifiedAt: this.now,
      attributes: new Map(),
      tags: { ...tags },
      messages: [],
      waiting: new Set(),
    };
    this.configure(queue, attributes);
    this.all.set(name, queue);
    return queue;
  }

  #same(queue: Queue, attributes: Readonly<Record<string, string>>): Queue {
    for (const [name, value] of Object.entries(attributes))
      if ((queue.attributes.get(name) ?? value) !== value)
        throw new AwsError(
          'QueueNameExists',
          `A queue already exists with the same name and a different value for attribute ${name}`,
        );
    return queue;
  }

  configure(queue: Queue, attributes: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(attributes)) validAttribute(name, value);
    for (const [name, value] of Object.entries(attributes)) queue.attributes.set(name, value);
    queue.modifiedAt = this.now;
  }

  arnOf(name: string): string {
    return arn(this.#aws, 'sqs', name);
  }

  byUrl(url: string | undefined): Queue {
    return this.#get((url ?? '').split('/').at(-1) ?? '');
  }

  byArn(queueArn: string): Queue {
    return this.#get(queueArn.split(':').at(-1) ?? '');
  }

  #get(name: string): Queue {
    const queue = this.all.get(name);
    if (queue === undefined) throw noQueue();
    return queue;
  }

  send(
    queue: Queue,
    body: string,
    sender: string,
    options: { delaySeconds?: number | undefined; attributes?: object } = {},
  ) {
    const size = Buffer.byteLength(body);
    if (size === 0 || size > numberOf(queue, 'MaximumMessageSize'))
      throw new AwsError(
        'InvalidParameterValue',
        `One or more parameters are invalid. Reason: Message must be shorter than ${numberOf(queue, 'MaximumMessageSize')} bytes.`,
      );
    const delayMs = (options.delaySeconds ?? numberOf(queue, 'DelaySeconds')) * 1_000;
    const message: QueuedMessage = {
      id: this.#random.uuid(),
      body,
      sentAt: this.now,
      attributes: { ...options.attributes },
      sender,
      visibleAt: this.now + delayMs,
      receiveCount: 0,
    };
    queue.messages.push(message);
    if (queue.messages.length > keptMessages) queue.messages.shift();
    this.wake(queue, delayMs);
    return message;
  }

  /** Long polls look again, at once or when the message becomes visible. */
  wake(queue: Queue, delayMs: number): void {
    if (queue.waiting.size === 0) return;
    const look = () => {
      for (const resume of [...queue.waiting]) resume();
    };
    if (delayMs > 0) this.#aws.engine.clock.after(delayMs, look);
    else look();
  }

  /** Takes visible messages; one that was received too often goes to the dead-letter queue. (SQS Developer Guide, "Using dead-letter queues in Amazon SQS".) */
  take(queue: Queue, limit: number, visibilitySeconds: number): QueuedMessage[] {
    const retentionMs = numberOf(queue, 'MessageRetentionPeriod') * 1_000;
    queue.messages = queue.messages.filter(({ sentAt }) => this.now - sentAt < retentionMs);
    const taken: QueuedMessage[] = [];
    for (const message of [...queue.messages]) {
      if (taken.length >= limit) break;
      if (message.visibleAt > this.now || this.#redriven(queue, message)) continue;
      message.receiveCount += 1;
      message.firstReceivedAt ??= this.now;
      message.visibleAt = this.now + visibilitySeconds * 1_000;
      message.receipt = this.#random.hex(64);
      taken.push(message);
    }
    return taken;
  }

  #redriven(queue: Queue, message: QueuedMessage): boolean {
    const policy = queue.attributes.get('RedrivePolicy');
    if (policy === undefined || policy === '') return false;
    const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(policy) as {
      deadLetterTargetArn: string;
      maxReceiveCount: number;
    };
    const target = this.all.get(deadLetterTargetArn.split(':').at(-1) ?? '');
    if (target === undefined || message.receiveCount < Number(maxReceiveCount)) return false;
    queue.messages = queue.messages.filter((each) => each !== message);
    target.messages.push({ ...message, visibleAt: this.now });
    this.wake(target, 0);
    return true;
  }

  /** Waits until a message may have come or is shown again, or the time is over. */
  async arrival(queue: Queue, waitMs: number): Promise<void> {
    const { clock } = this.#aws.engine;
    await new Promise<void>((resolve) => {
      const resume = () => {
        timer.cancel();
        queue.waiting.delete(resume);
        resolve();
      };
      const nextMs = Math.min(waitMs, ...queue.messages.map(({ visibleAt }) => Math.max(0, visibleAt - this.now)));
      const timer = clock.after(nextMs, resume);
      queue.waiting.add(resume);
    });
  }
}
