import { CreateLogGroupCommand, PutResourcePolicyCommand } from '@aws-sdk/client-cloudwatch-logs';
import {
  DeleteRuleCommand,
  DescribeRuleCommand,
  DisableRuleCommand,
  EnableRuleCommand,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
  type Target,
  TestEventPatternCommand,
} from '@aws-sdk/client-eventbridge';
import { AddPermissionCommand } from '@aws-sdk/client-lambda';
import { CreateQueueCommand, ReceiveMessageCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { injected, type TestWorld, testWorld } from '../lambda/function-world.test-support.ts';

interface Received {
  readonly at: number;
  readonly event: { readonly detail: { readonly n: number } } & Record<string, unknown>;
}

/** A rule with a function behind it that writes down what it gets. */
async function listening(
  test: TestWorld,
  rule: Partial<ConstructorParameters<typeof PutRuleCommand>[0]>,
  target: Partial<Target> = {},
  permission = true,
): Promise<Received[]> {
  const received: Received[] = [];
  const Arn = await injected(test, 'fn', () => (event) => {
    received.push({ at: test.clock.now(), event: event as Received['event'] });
  });
  const { RuleArn } = await test.aws.events.send(new PutRuleCommand({ Name: 'rule', ...rule }));
  await test.aws.events.send(new PutTargetsCommand({ Rule: 'rule', Targets: [{ Id: 't', Arn, ...target }] }));
  if (permission)
    await test.aws.lambda.send(
      new AddPermissionCommand({
        FunctionName: 'fn',
        StatementId: 's',
        Action: 'lambda:InvokeFunction',
        Principal: 'events.amazonaws.com',
        SourceArn: RuleArn,
      }),
    );
  return received;
}

const pattern = { EventPattern: JSON.stringify({ source: ['test'] }) };

const put = ({ aws }: TestWorld, n: number) =>
  aws.events.send(
    new PutEventsCommand({ Entries: [{ Source: 'test', DetailType: 'Thing', Detail: JSON.stringify({ n }) }] }),
  );

const numbers = (received: readonly Received[]) => received.map(({ event }) => event.detail.n);

async function queue({ aws }: TestWorld, QueueName: string, open: boolean) {
  const { QueueUrl } = await aws.sqs.send(new CreateQueueCommand({ QueueName }));
  const arn = `arn:aws:sqs:eu-west-1:123456789012:${QueueName}`;
  const Statement = [
    { Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' }, Action: 'sqs:SendMessage', Resource: arn },
  ];
  if (open)
    await aws.sqs.send(
      new SetQueueAttributesCommand({
        QueueUrl,
        Attributes: { Policy: JSON.stringify({ Version: '2012-10-17', Statement }) },
      }),
    );
  const received = async () =>
    ((await aws.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }))).Messages ?? []).map(
      ({ Body }) => JSON.parse(Body!),
    );
  return { arn, received };
}

describe('a rule', () => {
  it('brings a matching event to its function, with the envelope of the bus', async () => {
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

  it('[rule 9] delivers more than once, late or not at all when a fault says so', async () => {
    const test = testWorld();
    const received = await listening(test, pattern);
    const { faults } = test.world.engine;
    const strike = (effect: { kind: 'duplicate' } | { kind: 'lose' } | { kind: 'late'; ms: number }) =>
      faults.add({ service: 'events', operation: 'Thing', times: 1, effect });

    strike({ kind: 'duplicate' });
    await put(test, 1);
    strike({ kind: 'late', ms: 60_000 });
    await put(test, 2);
    strike({ kind: 'lose' });
    await put(test, 3);
    await put(test, 4);
    await test.clock.advance(20_000);

    expect(numbers(received).sort()).toEqual([1, 1, 4]);
    await test.clock.advance(60_000);
    expect(numbers(received).sort()).toEqual([1, 1, 2, 4]);
  });

  it('[rule 9] does not keep the order of events, without any fault', async () => {
    const test = testWorld();
    const received = await listening(test, pattern);

    for (let n = 0; n < 30; n++) await put(test, n);
    await test.clock.advance(60_000);

    const order = numbers(received);
    expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n));
    expect(order).not.toEqual([...order].sort((a, b) => a - b));
  });

  it('reaches no function whose policy does not let EventBridge in, and says so', async () => {
    const test = testWorld();
    const dead = await queue(test, 'dead', true);
    const received = await listening(test, pattern, { DeadLetterConfig: { Arn: dead.arn } }, false);

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
    expect(await dead.received()).toMatchObject([{ detail: { n: 1 } }]);
  });

  it('writes to a queue only when the policy of the queue allows it', async () => {
    const test = testWorld();
    const [open, closed] = [await queue(test, 'open', true), await queue(test, 'closed', false)];
    await test.aws.events.send(new PutRuleCommand({ Name: 'rule', ...pattern }));
    await test.aws.events.send(
      new PutTargetsCommand({
        Rule: 'rule',
        Targets: [
          { Id: '1', Arn: open.arn },
          { Id: '2', Arn: closed.arn },
        ],
      }),
    );

    await put(test, 1);
    await test.clock.advance(60_000);

    expect(await open.received()).toMatchObject([{ detail: { n: 1 } }]);
    expect(await closed.received()).toEqual([]);
  });

  it('writes to a log group only when a policy of the account allows it', async () => {
    const test = testWorld();
    await test.aws.logs.send(new CreateLogGroupCommand({ logGroupName: '/events' }));
    await test.aws.events.send(new PutRuleCommand({ Name: 'rule', ...pattern }));
    const Arn = 'arn:aws:logs:eu-west-1:123456789012:log-group:/events';
    await test.aws.events.send(new PutTargetsCommand({ Rule: 'rule', Targets: [{ Id: '1', Arn }] }));
    const Action = ['logs:CreateLogStream', 'logs:PutLogEvents'];
    const Statement = [
      { Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' }, Action, Resource: `${Arn}:*` },
    ];
    const policyDocument = JSON.stringify({ Version: '2012-10-17', Statement });

    await put(test, 1);
    await test.clock.advance(10_000);
    await test.aws.logs.send(new PutResourcePolicyCommand({ policyName: 'p', policyDocument }));
    await put(test, 2);
    await test.clock.advance(10_000);

    const lines = test.world.aws.logs.lines('/events').map(({ message }) => JSON.parse(message).detail.n);
    expect(lines).toEqual([2]);
  });

  it.each([
    ['a constant', { Input: '{"fixed":true}' }, { fixed: true }],
    ['a part of the event', { InputPath: '$.detail' }, { n: 7 }],
    [
      'a template',
      {
        InputTransformer: {
          InputPathsMap: { number: '$.detail.n', what: '$.detail-type' },
          InputTemplate: '{"text":"<what> \\"<number>\\"","value":<number>,"rule":<aws.events.rule-name>}',
        },
      },
      { text: 'Thing "7"', value: 7, rule: 'rule' },
    ],
  ])('gives its target %s', async (_name, target, expected) => {
    const test = testWorld();
    const received = await listening(test, pattern, target);

    await put(test, 7);
    await test.clock.advance(10_000);

    expect(received[0]!.event).toEqual(expected);
  });

  it('runs on its schedule while it is enabled', async () => {
    const test = testWorld();
    const received = await listening(test, { ScheduleExpression: 'rate(1 minute)' });

    await test.clock.advance(10.5 * 60_000);
    const ran = received.length;
    await test.aws.events.send(new DisableRuleCommand({ Name: 'rule' }));
    await test.clock.advance(10 * 60_000);
    const after = received.length;
    await test.aws.events.send(new EnableRuleCommand({ Name: 'rule' }));
    await test.clock.advance(10 * 60_000);

    expect(ran).toBe(10);
    expect(after).toBe(ran);
    expect(received.length - after).toBeGreaterThanOrEqual(9);
    expect(received[0]!.event).toMatchObject({ 'detail-type': 'Scheduled Event', source: 'aws.events' });
  });
});

describe('the API of rules', () => {
  it('describes, lists and deletes only what has no targets', async () => {
    const test = testWorld();
    await listening(test, { ...pattern, Description: 'd' });
    const { aws } = test;

    expect(await aws.events.send(new DescribeRuleCommand({ Name: 'rule' }))).toMatchObject({
      Arn: 'arn:aws:events:eu-west-1:123456789012:rule/rule',
      State: 'ENABLED',
      EventPattern: pattern.EventPattern,
    });
    expect((await aws.events.send(new ListRulesCommand({ NamePrefix: 'ru' }))).Rules).toHaveLength(1);
    expect((await aws.events.send(new ListTargetsByRuleCommand({ Rule: 'rule' }))).Targets).toMatchObject([
      { Id: 't' },
    ]);
    await expect(aws.events.send(new DeleteRuleCommand({ Name: 'rule' }))).rejects.toMatchObject({
      name: 'ValidationException',
    });
    await aws.events.send(new RemoveTargetsCommand({ Rule: 'rule', Ids: ['t'] }));
    await aws.events.send(new DeleteRuleCommand({ Name: 'rule' }));
    await expect(aws.events.send(new DescribeRuleCommand({ Name: 'rule' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  it('tests a pattern', async () => {
    const { aws } = testWorld();
    const matches = async (source: string) =>
      (
        await aws.events.send(
          new TestEventPatternCommand({ EventPattern: pattern.EventPattern, Event: JSON.stringify({ source }) }),
        )
      ).Result;

    expect([await matches('test'), await matches('other')]).toEqual([true, false]);
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
