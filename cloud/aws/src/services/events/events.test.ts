import {
  DeleteRuleCommand,
  ListRulesCommand,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { describe, expect, it } from 'vitest';
import { makeResource } from '../../cloudformation/testing/make-resource.ts';
import { injected, type TestWorld, testWorld } from '../lambda/function-world.test-support.ts';

interface Received {
  readonly at: number;
  readonly event: { readonly detail: { readonly n: number } } & Record<string, unknown>;
}

/** A rule with a function behind it that writes down what it gets. */
async function listening(
  test: TestWorld,
  rule: Partial<ConstructorParameters<typeof PutRuleCommand>[0]>,
  permission = true,
): Promise<Received[]> {
  const received: Received[] = [];
  const Arn = await injected(test, 'fn', () => (event) => {
    received.push({ at: test.clock.now(), event: event as Received['event'] });
  });
  const { RuleArn } = await test.aws.events.send(new PutRuleCommand({ Name: 'rule', ...rule }));
  await test.aws.events.send(new PutTargetsCommand({ Rule: 'rule', Targets: [{ Id: 't', Arn }] }));
  if (permission)
    await makeResource(test.world, 'AWS::Lambda::Permission', {
      FunctionName: 'fn',
      Action: 'lambda:InvokeFunction',
      Principal: 'events.amazonaws.com',
      SourceArn: RuleArn,
    });
  return received;
}

const pattern = { EventPattern: JSON.stringify({ source: ['test'] }) };

const put = ({ aws }: TestWorld, n: number) =>
  aws.events.send(
    new PutEventsCommand({ Entries: [{ Source: 'test', DetailType: 'Thing', Detail: JSON.stringify({ n }) }] }),
  );

const numbers = (received: readonly Received[]) => received.map(({ event }) => event.detail.n);

describe('a rule', () => {
  it('a rule brings a matching event to its function, with the envelope of the bus', async () => {
    const test = testWorld();
    const received = await listening(test, pattern);

    const { Entries } = await put(test, 1);
    await test.clock.advance(10_000);

    expect(received).toHaveLength(1);
    expect(received[0]!.event).toEqual({
      version: '0',
      id: Entries![0]!.EventId,
      'detail-type': 'Thing',
      source: 'test',
      account: '123456789012',
      time: expect.stringMatching(/^2026-01-05T00:00:\d\dZ$/),
      region: 'eu-west-1',
      resources: [],
      detail: { n: 1 },
    });
  });

  it('[rule 9] a rule delivers an event twice, a minute later or not at all when a fault says so', async () => {
    const test = testWorld();
    const received = await listening(test, pattern);
    const { faults } = test.world.engine;
    const strike = (effect: { kind: 'duplicate' } | { kind: 'lose' } | { kind: 'delayed'; ms: number }) =>
      faults.add({ service: 'events', operation: 'Thing', times: 1, effect });

    strike({ kind: 'duplicate' });
    await put(test, 1);
    strike({ kind: 'delayed', ms: 60_000 });
    await put(test, 2);
    strike({ kind: 'lose' });
    await put(test, 3);
    await put(test, 4);
    await test.clock.advance(20_000);

    expect(numbers(received).sort()).toEqual([1, 1, 4]);
    await test.clock.advance(60_000);
    expect(numbers(received).sort()).toEqual([1, 1, 2, 4]);
  });

  it('a rule reaches no function whose policy does not let EventBridge in, and records the failed delivery', async () => {
    const test = testWorld();
    const received = await listening(test, pattern, false);

    await put(test, 1);
    await test.clock.advance(60_000);

    expect(received).toEqual([]);
    expect(test.world.engine.journal.entries).toContainEqual(
      expect.objectContaining({
        source: 'aws.events',
        name: 'delivery failed',
        detail: { rule: 'rule', target: 'fn', detailType: 'Thing', error: 'AccessDeniedException' },
      }),
    );
  });

  it('a scheduled rule runs while it is enabled', async () => {
    const test = testWorld();
    const received = await listening(test, { ScheduleExpression: 'rate(1 minute)' });

    await test.clock.advance(10.5 * 60_000);
    const ran = received.length;
    const enable = (State: 'ENABLED' | 'DISABLED') =>
      test.aws.events.send(new PutRuleCommand({ Name: 'rule', ScheduleExpression: 'rate(1 minute)', State }));
    await enable('DISABLED');
    await test.clock.advance(10 * 60_000);
    const after = received.length;
    await enable('ENABLED');
    await test.clock.advance(10 * 60_000);

    expect(ran).toBe(10);
    expect(after).toBe(ran);
    expect(received.length - after).toBeGreaterThanOrEqual(9);
    expect(received[0]!.event).toMatchObject({ 'detail-type': 'Scheduled Event', source: 'aws.events' });
  });
});

describe('the API of rules', () => {
  it('lists rules and deletes only a rule without targets', async () => {
    const test = testWorld();
    await listening(test, { ...pattern, Description: 'd' });
    const { aws } = test;

    const { Rules } = await aws.events.send(new ListRulesCommand({ NamePrefix: 'ru' }));
    expect(Rules).toMatchObject([
      {
        Arn: 'arn:aws:events:eu-west-1:123456789012:rule/rule',
        State: 'ENABLED',
        EventPattern: pattern.EventPattern,
      },
    ]);
    await expect(aws.events.send(new DeleteRuleCommand({ Name: 'rule' }))).rejects.toMatchObject({
      name: 'ValidationException',
    });
    await aws.events.send(new RemoveTargetsCommand({ Rule: 'rule', Ids: ['t'] }));
    await aws.events.send(new DeleteRuleCommand({ Name: 'rule' }));
    expect((await aws.events.send(new ListRulesCommand({}))).Rules).toEqual([]);
  });

  it('refuses targets and members of targets that are not modelled', async () => {
    const { aws } = testWorld();
    await aws.events.send(new PutRuleCommand({ Name: 'rule', ...pattern }));
    const target = (more: object, Arn = 'arn:aws:lambda:eu-west-1:123456789012:function:fn') =>
      aws.events.send(new PutTargetsCommand({ Rule: 'rule', Targets: [{ Id: 't', Arn, ...more }] }));

    await expect(target({}, 'arn:aws:sqs:eu-west-1:123456789012:q')).rejects.toMatchObject({
      name: 'ValidationException',
    });
    await expect(target({ InputPath: '$.detail' })).rejects.toMatchObject({ name: 'NotImplemented' });
  });

  it('refuses a pattern that is not understood, and sources of AWS', async () => {
    const { aws } = testWorld();

    await expect(
      aws.events.send(new PutRuleCommand({ Name: 'r', EventPattern: '{"source":[{"contains":"x"}]}' })),
    ).rejects.toMatchObject({ name: 'InvalidEventPatternException' });
    const { Entries, FailedEntryCount } = await aws.events.send(
      new PutEventsCommand({
        Entries: [
          { Source: 'aws.ec2', DetailType: 'x', Detail: '{}' },
          { Source: 'a', DetailType: 'x', Detail: '[]' },
        ],
      }),
    );
    expect(FailedEntryCount).toBe(2);
    expect(Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual(['NotAuthorizedForSourceException', 'MalformedDetail']);
  });
});
