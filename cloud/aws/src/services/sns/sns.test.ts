import { describe, expect, it } from 'vitest';
import { makeResource } from '../../cloudformation/testing/make-resource.ts';
import { type TestWorld, testWorld } from '../lambda/function-world.test-support.ts';

const topic = async ({ world }: TestWorld) =>
  (await makeResource(world, 'AWS::SNS::Topic', { TopicName: 't' })).physicalId;
const subscribe = ({ world }: TestWorld, properties: object) =>
  makeResource(world, 'AWS::SNS::Subscription', properties);

describe('a topic', () => {
  it('a topic sends mails only to addresses that were confirmed', async () => {
    const test = testWorld();
    const TopicArn = await topic(test);
    await subscribe(test, { TopicArn, Protocol: 'email', Endpoint: 'a@example.test' });
    const publish = async (message: string) => {
      test.world.aws.sns.publishAs('cloudwatch.amazonaws.com', TopicArn, '', message, '');
      await test.clock.advance(1_000);
    };

    await publish('unheard');
    test.world.aws.sns.confirm(TopicArn, 'a@example.test');
    await publish('heard');

    expect(test.world.aws.sns.outbox).toMatchObject([{ endpoint: 'a@example.test', message: 'heard' }]);
  });
});
