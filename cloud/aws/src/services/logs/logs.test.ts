import { ListMetricsCommand } from '@aws-sdk/client-cloudwatch';
import {
  CreateLogStreamCommand,
  DeleteLogGroupCommand,
  DescribeLogGroupsCommand,
  FilterLogEventsCommand,
  PutLogEventsCommand,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import { describe, expect, it } from 'vitest';
import { makeResource } from '../../cloudformation/testing/make-resource.ts';
import { type TestWorld, testWorld } from '../lambda/function-world.test-support.ts';
import { compileFilter } from './filter-pattern.ts';

const logGroupName = '/app';
const logStreamName = 's';

async function group(test = testWorld(), retention = {}): Promise<TestWorld> {
  await makeResource(test.world, 'AWS::Logs::LogGroup', { LogGroupName: logGroupName, ...retention });
  await test.aws.logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName }));
  return test;
}

const write = ({ aws, clock }: TestWorld, ...messages: string[]) =>
  aws.logs.send(
    new PutLogEventsCommand({
      logGroupName,
      logStreamName,
      logEvents: messages.map((message, index) => ({ message, timestamp: clock.now() + index })),
    }),
  );

describe('filter patterns', () => {
  it.each([
    ['', 'anything', true],
    ['ERROR', 'an ERROR here', true],
    ['ERROR', 'an error here', false],
    ['"two words"', 'in two words', true],
    ['"two words"', 'words two', false],
    ['?"two words" ?ERROR', 'an ERROR here', true],
    ['?"two words" ?ERROR', 'in two words', true],
    ['?"two words" ?ERROR', 'two errors', false],
    ['{ $.level = "error" }', '{"level":"error"}', true],
    ['{ $.level = "error" }', 'level error', false],
    ['{ $.level = "error" }', '{"level":"info"}', false],
    ['{ $.level = "error" }', '{"other":1}', false],
    ['{ $.level = "error" }', '{not JSON', false],
  ])('the filter pattern %s on the line %s: %s', (pattern, line, expected) => {
    expect(compileFilter(pattern)(line)).toBe(expected);
  });

  it.each(['[ip, user]', '{ $.a = ', '{ a = 1 }', 'ERROR disk', '?ERROR disk', '-ERROR', '%v[0-9]+%', '{ $.n > 1 }'])(
    'the filter pattern %s is refused',
    (pattern) => {
      expect(() => compileFilter(pattern)).toThrow();
    },
  );
});

describe('log groups', () => {
  it('log groups are searched with a pattern and a time', async () => {
    const test = await group();
    await write(test, '{"level":"error","n":1}', '{"level":"info","n":2}');
    const first = test.clock.now();
    await test.clock.advance(60_000);
    await write(test, '{"level":"error","n":3}');
    const find = async (more: object) => {
      const input = { logGroupName, filterPattern: '{ $.level = "error" }', ...more };
      const found: unknown[] = [];
      for await (const { events = [] } of paginateFilterLogEvents({ client: test.aws.logs }, input))
        found.push(...events.map(({ message }) => JSON.parse(message!).n));
      return found;
    };

    expect(await find({})).toEqual([1, 3]);
    expect(await find({ startTime: first + 1_000 })).toEqual([3]);
    expect(await find({ endTime: first })).toEqual([1]);
    expect(await find({ logStreamNames: ['other'] })).toEqual([]);
  });

  it('FilterLogEvents returns an empty page and partly full ones before the last page', async () => {
    const test = await group();
    await write(test, 'a', 'b', 'c');
    const sizes: number[] = [];
    let nextToken: string | undefined;
    do {
      const page = await test.aws.logs.send(new FilterLogEventsCommand({ logGroupName, limit: 4, nextToken }));
      sizes.push(page.events?.length ?? 0);
      nextToken = page.nextToken;
    } while (nextToken !== undefined);

    expect(sizes).toEqual([0, 2, 1]);
  });

  it('PutLogEvents rejects events that are too old, expired or in the future, and says which', async () => {
    const test = await group();
    const days = 86_400_000;
    await test.clock.advance(30 * days);
    const put = (...timestamps: number[]) =>
      test.aws.logs.send(
        new PutLogEventsCommand({
          logGroupName,
          logStreamName,
          logEvents: timestamps.map((timestamp) => ({ message: String(timestamp - test.clock.now()), timestamp })),
        }),
      );
    const now = test.clock.now();

    expect(await put(now - 14 * days - 1, now - 14 * days)).toMatchObject({
      rejectedLogEventsInfo: { tooOldLogEventEndIndex: 1 },
    });
    expect(await put(now, now + 7_200_000, now + 7_200_001)).toMatchObject({
      rejectedLogEventsInfo: { tooNewLogEventStartIndex: 2 },
    });
    await expect(put(now - 2 * days, now)).rejects.toMatchObject({ name: 'InvalidParameterException' });
    expect(test.world.aws.logs.lines(logGroupName).map(({ message }) => message)).toEqual([
      `${-14 * days}`,
      '0',
      '7200000',
    ]);
  });

  it('lines older than the retention of their group are rejected', async () => {
    const test = await group(testWorld(), { RetentionInDays: 1 });
    const now = test.clock.now();
    const logEvents = [now - 86_400_001, now - 1].map((timestamp) => ({ message: String(timestamp - now), timestamp }));

    const output = await test.aws.logs.send(new PutLogEventsCommand({ logGroupName, logStreamName, logEvents }));

    expect(output).toMatchObject({ rejectedLogEventsInfo: { expiredLogEventEndIndex: 1 } });
    expect(test.world.aws.logs.lines(logGroupName).map(({ message }) => message)).toEqual(['-1']);
  });

  it('PutLogEvents refuses an empty message and more than 1 MiB with 26 bytes for each event', async () => {
    const test = await group();
    const half = 'x'.repeat(524_288 - 26);

    await write(test, half, half);
    await expect(write(test, half, `${half}x`)).rejects.toMatchObject({ name: 'InvalidParameterException' });
    await expect(write(test, 'a', '')).rejects.toMatchObject({ name: 'InvalidParameterException' });
  });

  it('PutLogEvents makes metrics of an event in embedded metric format', async () => {
    const test = await group();
    const Metrics = [{ Name: 'Jobs', Unit: 'Count' }, { Name: 'Missing' }];
    const directive = { Namespace: 'Test', Dimensions: [['Fleet']], Metrics };
    const _aws = { Timestamp: test.clock.now(), CloudWatchMetrics: [directive] };
    await write(test, JSON.stringify({ _aws, Fleet: 'a', Jobs: 2 }), '{"_aws": broken');

    const { Metrics: made } = await test.aws.cloudwatch.send(new ListMetricsCommand({ Namespace: 'Test' }));
    expect(made).toMatchObject([{ MetricName: 'Jobs', Dimensions: [{ Name: 'Fleet', Value: 'a' }] }]);
  });

  it.each([
    ['an event with text before it', (json: string) => `2026-11-15T08:00:00Z\tid\tINFO\t${json}`],
    ['an event that spells the key with escapes', (json: string) => json.replace('"_aws"', '"\\u005faws"')],
    ['an event over several lines', (json: string) => json.replaceAll(',', ',\n')],
  ])('CloudWatch Logs makes metrics of %s', async (_name, change) => {
    const test = await group();
    const directive = { Namespace: 'Test', Dimensions: [[]], Metrics: [{ Name: 'Jobs' }] };
    await write(test, change(JSON.stringify({ _aws: { CloudWatchMetrics: [directive] }, Jobs: [1, 2] })));

    const { Metrics: made } = await test.aws.cloudwatch.send(new ListMetricsCommand({ Namespace: 'Test' }));
    expect(made).toMatchObject([{ MetricName: 'Jobs', Dimensions: [] }]);
  });

  it('CloudWatch Logs takes an event whose key of metrics holds nonsense as just an event', async () => {
    const test = await group();
    const nonsense = [1, 'x', null, [1], { CloudWatchMetrics: 5 }, { CloudWatchMetrics: [null, { Dimensions: 'x' }] }];
    await write(test, ...nonsense.map((_aws) => `${JSON.stringify({ _aws })} CloudWatchMetrics`));
    await write(test, ...nonsense.map((_aws) => JSON.stringify({ _aws, CloudWatchMetrics: 1 })));
    expect(test.world.aws.logs.lines(logGroupName)).toHaveLength(2 * nonsense.length);
  });

  it('FilterLogEvents refuses the ARN of a log group that ends with :*', async () => {
    const test = await group();
    const logGroupIdentifier = 'arn:aws:logs:eu-west-1:123456789012:log-group:/app';

    await test.aws.logs.send(new FilterLogEventsCommand({ logGroupIdentifier }));
    await expect(
      test.aws.logs.send(new FilterLogEventsCommand({ logGroupIdentifier: `${logGroupIdentifier}:*` })),
    ).rejects.toMatchObject({ name: 'InvalidParameterException' });
  });

  it('forget by their retention, and hold a bounded number of lines', async () => {
    const test = await group(testWorld(), { RetentionInDays: 1 });
    await write(test, 'old');
    await test.clock.advance(86_400_001);
    await write(test, 'new');

    expect(test.world.aws.logs.lines(logGroupName).map(({ message }) => message)).toEqual(['new']);
    for (let n = 0; n < 60_000; n++) test.world.aws.logs.append(logGroupName, logStreamName, `line ${n}`);
    expect(test.world.aws.logs.lines(logGroupName).length).toBeLessThanOrEqual(25_000);
    expect(test.world.aws.logs.lines(logGroupName).at(-1)?.message).toBe('line 59999');
  });

  it('log groups are described with the ARN that policies use, and gone when deleted', async () => {
    const test = await group();
    await write(test, 'x');

    const { logGroups } = await test.aws.logs.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: '/a' }));
    expect(logGroups).toMatchObject([{ arn: 'arn:aws:logs:eu-west-1:123456789012:log-group:/app:*' }]);
    await test.aws.logs.send(new DeleteLogGroupCommand({ logGroupName }));
    await expect(write(test, 'y')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});
