import { AddPermissionCommand } from '@aws-sdk/client-lambda';
import {
  CreateTopicCommand,
  GetTopicAttributesCommand,
  ListSubscriptionsByTopicCommand,
  PublishCommand,
  SubscribeCommand,
  UnsubscribeCommand,
} from '@aws-sdk/client-sns';
import { CreateQueueCommand, ReceiveMessageCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { injected, type TestWorld, testWorld } from '../lambda/function-world.test-support.ts';

const topic = async ({ aws }: TestWorld) => (await aws.sns.send(new CreateTopicCommand({ Name: 't' }))).TopicArn!;

async function openQueue({ aws }: TestWorld, QueueName: string, TopicArn: string) {
  const { QueueUrl } = await aws.sqs.send(new CreateQueueCommand({ QueueName }));
  const Resource = `arn:aws:sqs:eu-west-1:123456789012:${QueueName}`;
  const Condition = { ArnEquals: { 'aws:SourceArn': TopicArn } };
  const Statement = [
    { Effect: 'Allow', Principal: { Service: 'sns.amazonaws.com' }, Action: 'sqs:SendMessage', Resource, Condition },
  ];
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement });
  await aws.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
  const received = async () =>
    ((await aws.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }))).Messages ?? []).map(
      ({ Body }) => Body!,
    );
  return { arn: Resource, received };
}

describe('a topic', () => {
  it('brings messages to functions that let it in', async () => {
    const test = testWorld();
    const TopicArn = await topic(test);
    const received: unknown[] = [];
    const fn = await injected(test, 'fn', () => (event) => void received.push(event));
    await test.aws.sns.send(new SubscribeCommand({ TopicArn, Protocol: 'lambda', Endpoint: fn }));
    const publish = (Message: string) => test.aws.sns.send(new PublishCommand({ TopicArn, Message, Subject: 's' }));

    await publish('refused');
    await test.clock.advance(1_000);
    await test.aws.lambda.send(
      new AddPermissionCommand({
        FunctionName: 'fn',
        StatementId: 'sns',
        Action: 'lambda:InvokeFunction',
        Principal: 'sns.amazonaws.com',
        SourceArn: TopicArn,
      }),
    );
    await publish('accepted');
    await test.clock.advance(10_000);

    expect(received).toMatchObject([
      { Records: [{ EventSource: 'aws:sns', Sns: { Message: 'accepted', Subject: 's', TopicArn } }] },
    ]);
    expect(test.world.engine.journal.entries).toContainEqual(
      expect.objectContaining({ source: 'aws.sns', name: 'delivery failed' }),
    );
  });

  it('fills queues, raw or in an envelope, by filter policy', async () => {
    const test = testWorld();
    const TopicArn = await topic(test);
    const [wrapped, raw] = [await openQueue(test, 'wrapped', TopicArn), await openQueue(test, 'raw', TopicArn)];
    const subscribe = (Endpoint: string, Attributes: Record<string, string>) =>
      test.aws.sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint, Attributes }));
    await subscribe(wrapped.arn, {});
    await subscribe(raw.arn, {
      RawMessageDelivery: 'true',
      FilterPolicy: '{"kind":["big"],"n":[{"numeric":[">",1]}]}',
    });

    for (const n of [1, 2])
      await test.aws.sns.send(
        new PublishCommand({
          TopicArn,
          Message: `m${n}`,
          MessageAttributes: {
            kind: { DataType: 'String', StringValue: 'big' },
            n: { DataType: 'Number', StringValue: String(n) },
          },
        }),
      );
    await test.clock.advance(1_000);

    expect((await wrapped.received()).map((body) => JSON.parse(body).Message).sort()).toEqual(['m1', 'm2']);
    expect(await raw.received()).toEqual(['m2']);
  });

  it('sends mails only to addresses that were confirmed', async () => {
    const test = testWorld();
    const TopicArn = await topic(test);
    const { SubscriptionArn } = await test.aws.sns.send(
      new SubscribeCommand({ TopicArn, Protocol: 'email', Endpoint: 'a@example.test' }),
    );
    const publish = async (Message: string) => {
      await test.aws.sns.send(new PublishCommand({ TopicArn, Message }));
      await test.clock.advance(1_000);
    };

    await publish('unheard');
    const pending = await test.aws.sns.send(new GetTopicAttributesCommand({ TopicArn }));
    test.world.aws.sns.confirm(TopicArn, 'a@example.test');
    await publish('heard');

    expect(SubscriptionArn).toBe('pending confirmation');
    expect(pending.Attributes).toMatchObject({ SubscriptionsPending: '1', SubscriptionsConfirmed: '0' });
    expect(test.world.aws.sns.outbox).toMatchObject([{ endpoint: 'a@example.test', message: 'heard' }]);
    const { Subscriptions } = await test.aws.sns.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
    await test.aws.sns.send(new UnsubscribeCommand({ SubscriptionArn: Subscriptions![0]!.SubscriptionArn }));
    await publish('too late');
    expect(test.world.aws.sns.outbox).toHaveLength(1);
  });
});
