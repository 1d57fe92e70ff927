import {
  GetDashboardCommand,
  GetMetricDataCommand,
  GetMetricStatisticsCommand,
  ListMetricsCommand,
  PutDashboardCommand,
  PutMetricDataCommand,
} from '@aws-sdk/client-cloudwatch';
import { describe, expect, it } from 'vitest';
import { type TestWorld, testWorld } from '../lambda/function-world.test-support.ts';

const minute = 60_000;

const publish = ({ aws }: TestWorld, Value: number, MetricName = 'Idle') =>
  aws.cloudwatch.send(new PutMetricDataCommand({ Namespace: 'Test', MetricData: [{ MetricName, Value }] }));

describe('metrics', () => {
  it('put single values, statistic sets and counted values together', async () => {
    const { aws, clock } = testWorld();
    await aws.cloudwatch.send(
      new PutMetricDataCommand({
        Namespace: 'Test',
        MetricData: [
          { MetricName: 'm', Value: 4 },
          { MetricName: 'm', StatisticValues: { Sum: 10, SampleCount: 2, Minimum: 1, Maximum: 9 } },
          { MetricName: 'm', Values: [2, 6], Counts: [3, 1] },
        ],
      }),
    );
    const window = { StartTime: new Date(clock.now()), EndTime: new Date(clock.now() + minute) };

    const { Datapoints } = await aws.cloudwatch.send(
      new GetMetricStatisticsCommand({
        Namespace: 'Test',
        MetricName: 'm',
        ...window,
        Period: 60,
        Statistics: ['Sum', 'SampleCount', 'Minimum', 'Maximum', 'Average'],
        ExtendedStatistics: ['p50'],
      }),
    );

    expect(Datapoints).toMatchObject([
      { Sum: 26, SampleCount: 7, Minimum: 1, Maximum: 9, ExtendedStatistics: { p50: 2 } },
    ]);
    expect((await aws.cloudwatch.send(new ListMetricsCommand({ Namespace: 'Test' }))).Metrics).toEqual([
      { Namespace: 'Test', MetricName: 'm', Dimensions: [] },
    ]);
  });

  it('are told apart by every dimension', async () => {
    const { aws, clock } = testWorld();
    const put = (Dimensions: { Name: string; Value: string }[], Value: number) =>
      aws.cloudwatch.send(
        new PutMetricDataCommand({ Namespace: 'Test', MetricData: [{ MetricName: 'm', Dimensions, Value }] }),
      );
    await put([{ Name: 'a', Value: '1' }], 1);
    await put(
      [
        { Name: 'a', Value: '1' },
        { Name: 'b', Value: '2' },
      ],
      2,
    );
    const sum = async (Dimensions: { Name: string; Value: string }[]) =>
      (
        await aws.cloudwatch.send(
          new GetMetricStatisticsCommand({
            Namespace: 'Test',
            MetricName: 'm',
            Dimensions,
            StartTime: new Date(clock.now()),
            EndTime: new Date(clock.now() + minute),
            Period: 60,
            Statistics: ['Sum'],
          }),
        )
      ).Datapoints?.[0]?.Sum;

    expect(await sum([{ Name: 'a', Value: '1' }])).toBe(1);
    expect(
      await sum([
        { Name: 'b', Value: '2' },
        { Name: 'a', Value: '1' },
      ]),
    ).toBe(2);
    expect(await sum([])).toBeUndefined();
  });

  it('are computed with metric math over METRICS() and lists', async () => {
    const test = testWorld();
    for (const [first, second] of [
      [1, 10],
      [2, undefined],
      [3, 30],
    ] as const) {
      await publish(test, first, 'a');
      if (second !== undefined) await publish(test, second, 'b');
      await test.clock.advance(minute);
    }
    const metric = (Id: string) => ({
      Id,
      MetricStat: { Metric: { Namespace: 'Test', MetricName: Id }, Period: 60, Stat: 'Sum' },
      ReturnData: false,
    });
    const expressions = [
      'SUM(METRICS())',
      'a + b',
      'FILL(b, REPEAT)',
      'MAX([a, b])',
      'AVG(a)',
      '-a ^ 2 + 1',
      'a >= 2 AND b > 5',
    ];

    const { MetricDataResults } = await test.aws.cloudwatch.send(
      new GetMetricDataCommand({
        StartTime: new Date(test.clock.now() - 3 * minute),
        EndTime: new Date(test.clock.now()),
        ScanBy: 'TimestampAscending',
        MetricDataQueries: [
          metric('a'),
          metric('b'),
          ...expressions.map((Expression, index) => ({ Id: `e${index}`, Expression })),
        ],
      }),
    );

    expect(MetricDataResults?.map(({ Values }) => Values)).toEqual([
      [11, 2, 33],
      [11, 33],
      [10, 10, 30],
      [10, 2, 30],
      [2, 2, 2],
      [2, 5, 10],
      [0, 1],
    ]);
    const search = test.aws.cloudwatch.send(
      new GetMetricDataCommand({
        StartTime: new Date(0),
        EndTime: new Date(minute),
        MetricDataQueries: [{ Id: 's', Expression: "SEARCH('{Test}', 'Sum')" }],
      }),
    );
    await expect(search).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it('are kept per minute for hours, then more coarsely, in bounded memory', async () => {
    const test = testWorld();
    for (let n = 0; n < 3 * 24 * 60; n++) {
      test.world.aws.cloudwatch.putMetric('Test', 'm', {}, 1);
      await test.clock.advance(minute);
    }
    const sums = async (hoursAgo: number, Period: number) => {
      const start = test.clock.now() - hoursAgo * 60 * minute;
      const { Datapoints } = await test.aws.cloudwatch.send(
        new GetMetricStatisticsCommand({
          Namespace: 'Test',
          MetricName: 'm',
          StartTime: new Date(start),
          EndTime: new Date(start + 60 * minute),
          Period,
          Statistics: ['Sum'],
        }),
      );
      return Datapoints?.map(({ Sum }) => Sum);
    };

    expect(await sums(2, 60)).toHaveLength(60);
    expect(await sums(24, 300)).toEqual(new Array(12).fill(5));
    expect(await sums(71, 3_600)).toEqual([60]);
  });
});

it('keeps dashboards and refuses bodies without widgets', async () => {
  const { aws } = testWorld();
  const put = (DashboardBody: string) =>
    aws.cloudwatch.send(new PutDashboardCommand({ DashboardName: 'd', DashboardBody }));

  await put('{"widgets":[]}');

  expect(await aws.cloudwatch.send(new GetDashboardCommand({ DashboardName: 'd' }))).toMatchObject({
    DashboardBody: '{"widgets":[]}',
  });
  await expect(put('{}')).rejects.toMatchObject({ name: 'DashboardInvalidInputError' });
});
