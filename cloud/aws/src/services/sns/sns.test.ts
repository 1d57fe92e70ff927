import { CreateQueueCommand, ReceiveMessageCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { makeResource } from '../../cloudformation/testing/make-resource.ts';
import { injected, type TestWorld, testWorld } from '../lambda/function-world.test-support.ts';

const topic = async ({ world }: TestWorld) =>
  (await makeResource(world, 'AWS::SNS::Topic', { TopicName: 't' })).physicalId;
const subscribe = ({ world }: TestWorld, properties: object) =>
  makeResource(world, 'AWS::SNS::Subscription', properties);

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
    await subscribe(test, { TopicArn, Protocol: 'lambda', Endpoint: fn });
    const publish = (message: string) => test.world.aws.sns.publish(TopicArn, 's', message);

    publish('refused');
    await test.clock.advance(1_000);
    await makeResource(test.world, 'AWS::Lambda::Permission', {
      FunctionName: 'fn',
      Action: 'lambda:InvokeFunction',
      Principal: 'sns.amazonaws.com',
      SourceArn: TopicArn,
    });
    publish('accepted');
    await test.clock.advance(10_000);

    expect(received).toMatchObject([
      { Records: [{ EventSource: 'aws:sns', Sns: { Message: 'accepted', Subject: 's', TopicArn } }] },
    ]);
    expect(test.world.engine.journal.entries).toContainEqual(
      expect.objectContaining({ source: 'aws.sns', name: 'delivery failed' }),
    );
  });

  it('fills queues, in an envelope', async () => {
    const test = testWorld();
    const TopicArn = await topic(test);
    const wrapped = await openQueue(test, 'wrapped', TopicArn);
    await subscribe(test, { TopicArn, Protocol: 'sqs', Endpoint: wrapped.arn });

    for (const message of ['m1', 'm2']) test.world.aws.sns.publish(TopicArn, '', message);
    await test.clock.advance(1_000);

    expect((await wrapped.received()).map((body) => JSON.parse(body).Message).sort()).toEqual(['m1', 'm2']);
  });

  it('sends mails only to addresses that were confirmed', async () => {
    const test = testWorld();
    const TopicArn = await topic(test);
    await subscribe(test, { TopicArn, Protocol: 'email', Endpoint: 'a@example.test' });
    const publish = async (message: string) => {
      test.world.aws.sns.publish(TopicArn, '', message);
      await test.clock.advance(1_000);
    };

    await publish('unheard');
    test.world.aws.sns.confirm(TopicArn, 'a@example.test');
    await publish('heard');

    expect(test.world.aws.sns.outbox).toMatchObject([{ endpoint: 'a@example.test', message: 'heard' }]);
  });
});
