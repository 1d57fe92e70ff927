import { GetMetricStatisticsCommand, ListMetricsCommand, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { describe, expect, it } from 'vitest';
import { makeResource } from '../../cloudformation/testing/make-resource.ts';
import { testWorld } from '../lambda/function-world.test-support.ts';
import { evaluate, type Points } from './math/evaluate.ts';
import { parseExpression } from './math/parse.ts';

const minute = 60_000;

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

    const read = async (more: object) => {
      const input = { Namespace: 'Test', MetricName: 'm', ...window, Period: 60, ...more };
      return (await aws.cloudwatch.send(new GetMetricStatisticsCommand(input))).Datapoints;
    };

    const Statistics = ['Sum', 'SampleCount', 'Minimum', 'Maximum', 'Average'];
    expect(await read({ Statistics })).toMatchObject([{ Sum: 26, SampleCount: 7, Minimum: 1, Maximum: 9 }]);
    expect(await read({ ExtendedStatistics: ['p50'] })).toMatchObject([{ ExtendedStatistics: { p50: 2 } }]);
    expect((await aws.cloudwatch.send(new ListMetricsCommand({ Namespace: 'Test' }))).Metrics).toEqual([
      { Namespace: 'Test', MetricName: 'm', Dimensions: [] },
    ]);
  });

  it('GetMetricStatistics returns only data of the wanted unit, and wants exactly one kind of statistics', async () => {
    const { aws, clock } = testWorld();
    const MetricData = [{ MetricName: 'm', Value: 4, Unit: 'Seconds' as const }];
    await aws.cloudwatch.send(new PutMetricDataCommand({ Namespace: 'Test', MetricData }));
    const [StartTime, EndTime] = [new Date(clock.now()), new Date(clock.now() + minute)];
    const read = async (more: object) => {
      const input = { Namespace: 'Test', MetricName: 'm', StartTime, EndTime, Period: 60, ...more };
      return (await aws.cloudwatch.send(new GetMetricStatisticsCommand(input))).Datapoints;
    };

    expect(await read({ Statistics: ['Sum'], Unit: 'Seconds' })).toHaveLength(1);
    expect(await read({ Statistics: ['Sum'], Unit: 'Count' })).toEqual([]);
    await expect(read({})).rejects.toMatchObject({ message: expect.stringContaining('Statistics') });
    await expect(read({ Statistics: ['Sum'], ExtendedStatistics: ['p50'] })).rejects.toMatchObject({
      message: expect.stringContaining('cannot be used together'),
    });
  });

  it('metrics differ by every dimension', async () => {
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

  it.each([
    ['SUM(METRICS())', [11, 2, 33]],
    ['a + b', [11, undefined, 33]],
    ['FILL(b, REPEAT)', [10, 10, 30]],
    ['MAX([a, b])', [10, 2, 30]],
    ['AVG(a)', 2],
    ['-a ^ 2 + 1', [2, 5, 10]],
    ['a >= 2 AND b > 5', [0, undefined, 1]],
  ])('metric math computes %s', (expression, expected) => {
    const points: Readonly<Record<string, Points>> = { a: [1, 2, 3], b: [10, undefined, 30] };
    const scope = {
      value: (id: string) => points[id]!,
      metricIds: ['a', 'b'],
      label: (id: string) => id,
      length: 3,
      periodSeconds: 60,
    };
    expect(evaluate(parseExpression(expression), scope)).toEqual(expected);
  });

  it('metrics are kept per minute for hours, then more coarsely, in bounded memory', async () => {
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
  const { world } = testWorld();
  const put = (DashboardBody: string, DashboardName: string) =>
    makeResource(world, 'AWS::CloudWatch::Dashboard', { DashboardName, DashboardBody });

  expect(await put('{"widgets":[]}', 'good')).toEqual({ physicalId: 'good' });
  await expect(put('{}', 'bad')).rejects.toMatchObject({ code: 'InvalidParameterInput' });
});
