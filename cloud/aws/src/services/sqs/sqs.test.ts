import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { during, type TestWorld, testWorld } from '../lambda/function-world.test-support.ts';

async function queue(test: TestWorld, QueueName = 'q', Attributes: Record<string, string> = {}) {
  const { QueueUrl } = await test.aws.sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  const send = (MessageBody: string, more: object = {}) =>
    test.aws.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more }));
  const receive = async (more: object = {}) =>
    (await during(test, test.aws.sqs.send(new ReceiveMessageCommand({ QueueUrl, ...more })))).Messages ?? [];
  const bodies = async (more: object = {}) => (await receive(more)).map(({ Body }) => Body);
  return { QueueUrl, send, receive, bodies };
}

describe('a queue', () => {
  it('hides a received message until its visibility timeout is over', async () => {
    const test = testWorld();
    const { send, bodies } = await queue(test);
    await send('a');

    expect(await bodies()).toEqual(['a']);
    expect(await bodies()).toEqual([]);
    await test.clock.advance(30_000);
    expect(await bodies()).toEqual(['a']);
  });

  it('forgets a message that was deleted', async () => {
    const test = testWorld();
    const { QueueUrl, send, receive, bodies } = await queue(test);
    await send('a');
    await send('b');

    const [first] = await receive({ MaxNumberOfMessages: 10 });
    await test.aws.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: first!.ReceiptHandle }));
    await test.clock.advance(30_000);

    expect(await bodies({ MaxNumberOfMessages: 10 })).toEqual(['b']);
  });

  it('answers a long poll when a message comes, or when the time is over', async () => {
    const test = testWorld();
    const { QueueUrl, send, bodies } = await queue(test);
    const startedAt = test.clock.now();
    expect(await bodies({ WaitTimeSeconds: 20 })).toEqual([]);
    expect(test.clock.now() - startedAt).toBe(20_000);

    const waiting = test.aws.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
    await test.clock.settle();
    await send('a');

    expect((await waiting).Messages).toMatchObject([{ Body: 'a' }]);
    const shownAgainAt = test.clock.now() + 30_000;
    await test.clock.advance(15_000);
    expect(await bodies({ WaitTimeSeconds: 20 })).toEqual(['a']);
    expect(test.clock.now()).toBe(shownAgainAt);
  });

  it('moves what was received too often to its dead-letter queue', async () => {
    const test = testWorld();
    const dead = await queue(test, 'dead');
    const policy = { deadLetterTargetArn: 'arn:aws:sqs:eu-west-1:123456789012:dead', maxReceiveCount: 2 };
    const { send, bodies } = await queue(test, 'q', { RedrivePolicy: JSON.stringify(policy), VisibilityTimeout: '1' });
    await send('poison');

    const seen = [];
    for (let n = 0; n < 4; n++) {
      seen.push(...(await bodies()));
      await test.clock.advance(1_000);
    }

    expect(seen).toEqual(['poison', 'poison']);
    expect(await dead.bodies()).toEqual(['poison']);
  });

  it('delays, counts and expires', async () => {
    const test = testWorld();
    const { QueueUrl, send, bodies } = await queue(test, 'q', { MessageRetentionPeriod: '60' });
    const count = async () =>
      (await test.aws.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))).Attributes;
    await send('now');
    await send('later', { DelaySeconds: 10 });

    expect(await count()).toMatchObject({
      ApproximateNumberOfMessages: '1',
      ApproximateNumberOfMessagesDelayed: '1',
      QueueArn: 'arn:aws:sqs:eu-west-1:123456789012:q',
    });
    expect(await bodies({ MaxNumberOfMessages: 10 })).toEqual(['now']);
    await test.clock.advance(61_000);
    expect(await bodies({ MaxNumberOfMessages: 10 })).toEqual([]);
  });

  it('refuses FIFO queues', async () => {
    const test = testWorld();
    await expect(queue(test, 'a.fifo')).rejects.toMatchObject({ name: 'UnsupportedOperation' });
  });
});
