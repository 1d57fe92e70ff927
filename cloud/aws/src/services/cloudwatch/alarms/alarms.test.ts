import {
  DescribeAlarmsCommand,
  PutMetricAlarmCommand,
  type PutMetricAlarmCommandInput,
  PutMetricDataCommand,
} from '@aws-sdk/client-cloudwatch';
import { describe, expect, it } from 'vitest';
import { makeResource } from '../../../cloudformation/testing/make-resource.ts';
import { type TestWorld, testWorld } from '../../lambda/function-world.test-support.ts';

const minute = 60_000;

const publish = ({ aws }: TestWorld, Value: number, MetricName = 'Idle') =>
  aws.cloudwatch.send(new PutMetricDataCommand({ Namespace: 'Test', MetricData: [{ MetricName, Value }] }));

const alarm = ({ aws }: TestWorld, more: Partial<PutMetricAlarmCommandInput> = {}) =>
  aws.cloudwatch.send(
    new PutMetricAlarmCommand({
      AlarmName: 'low',
      Namespace: 'Test',
      MetricName: 'Idle',
      Statistic: 'Average',
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 2,
      ComparisonOperator: 'LessThanThreshold',
      ...more,
    }),
  );

const state = async ({ aws }: TestWorld, name = 'low') =>
  (await aws.cloudwatch.send(new DescribeAlarmsCommand({ AlarmNames: [name] }))).MetricAlarms?.[0]?.StateValue;

/** One value per minute; nothing where undefined. */
async function flow(test: TestWorld, values: readonly (number | undefined)[]): Promise<(string | undefined)[]> {
  const states: (string | undefined)[] = [];
  for (const value of values) {
    if (value !== undefined) await publish(test, value);
    await test.clock.advance(minute);
    states.push(await state(test));
  }
  return states;
}

describe('an alarm', () => {
  it('an alarm goes off and calms down with its metric', async () => {
    const test = testWorld();
    await alarm(test);

    expect(await state(test)).toBe('INSUFFICIENT_DATA');
    expect(await flow(test, [5, 5, 1, 1, 5, 5])).toEqual(['INSUFFICIENT_DATA', 'OK', 'OK', 'ALARM', 'ALARM', 'OK']);
  });

  it('[rule 13] keeps its state in silence when missing data is ignored', async () => {
    const test = testWorld();
    await alarm(test, { TreatMissingData: 'ignore' });

    await flow(test, [1, 1]);
    await test.clock.advance(12 * 60 * minute);

    expect(await state(test)).toBe('ALARM');
  });

  it('[rule 13] looks further back than its evaluation period before it calls data missing', async () => {
    const test = testWorld();
    await alarm(test, { TreatMissingData: 'breaching' });
    const silence = new Array(5).fill(undefined);

    const states = await flow(test, [5, ...silence]);

    // One evaluation period of a minute: the value still counts two minutes after a naive alarm has forgotten it.
    expect(states).toEqual(['ALARM', 'OK', 'OK', 'OK', 'ALARM', 'ALARM']);
  });

  it('[rule 13] an alarm has insufficient data when every datapoint is missing, and is fine when that does not breach', async () => {
    const test = testWorld();
    await alarm(test);
    await alarm(test, { AlarmName: 'other', TreatMissingData: 'notBreaching' });

    await flow(test, [1, 1]);
    await test.clock.advance(10 * minute);

    expect(await state(test)).toBe('INSUFFICIENT_DATA');
    expect(await state(test, 'other')).toBe('OK');
  });

  it('sees only data of the unit that it names', async () => {
    const test = testWorld();
    await alarm(test, { Unit: 'Seconds' });

    await flow(test, [1, 1]);

    expect(await state(test)).toBe('INSUFFICIENT_DATA');
  });

  it('counts the datapoints that breach within the evaluation periods', async () => {
    const test = testWorld();
    await alarm(test, { EvaluationPeriods: 3, DatapointsToAlarm: 2 });

    const states = await flow(test, [5, 5, 5, 1, 5, 1, 5, 5, 5]);

    expect(states.slice(3)).toEqual(['OK', 'OK', 'OK', 'ALARM', 'OK', 'OK']);
  });

  it('evaluates metric math', async () => {
    const test = testWorld();
    const stat = (Id: string, MetricName: string) => ({
      Id,
      ReturnData: false,
      MetricStat: { Metric: { Namespace: 'Test', MetricName }, Period: 60, Stat: 'Sum' },
    });
    await alarm(test, {
      Namespace: undefined,
      MetricName: undefined,
      Statistic: undefined,
      Period: undefined,
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 10,
      Metrics: [
        stat('errors', 'Errors'),
        stat('calls', 'Calls'),
        { Id: 'rate', Expression: 'IF(calls > 5, 100 * FILL(errors, 0) / calls, 0)', ReturnData: true },
      ],
    });
    const feed = async (errors: number | undefined, calls: number) => {
      if (errors !== undefined) await publish(test, errors, 'Errors');
      await publish(test, calls, 'Calls');
      await test.clock.advance(minute);
      return state(test);
    };

    expect([
      await feed(1, 100),
      await feed(1, 100),
      await feed(3, 4),
      await feed(30, 100),
      await feed(undefined, 100),
      await feed(0, 100),
    ]).toEqual(['INSUFFICIENT_DATA', 'OK', 'OK', 'OK', 'ALARM', 'OK']);
  });

  it('repeats a scaling action each minute while it lasts, and notifies only once', async () => {
    const test = testWorld();
    const calls: { metricValue: number; threshold: number }[] = [];
    test.world.aws.autoscaling.executePolicyFromAlarm = (_arn, { metricValue, threshold }) => {
      calls.push({ metricValue, threshold });
    };
    const { physicalId: TopicArn } = await makeResource(test.world, 'AWS::SNS::Topic', { TopicName: 'topic' });
    const mail = { TopicArn, Protocol: 'email', Endpoint: 'a@example.test' };
    await makeResource(test.world, 'AWS::SNS::Subscription', mail);
    test.world.aws.sns.confirm(TopicArn, 'a@example.test');
    const policy = 'arn:aws:autoscaling:eu-west-1:123456789012:scalingPolicy:id:autoScalingGroupName/g:policyName/p';
    await alarm(test, { AlarmActions: [policy, TopicArn] });

    await flow(test, [5, 1, 1, 0, 0, 5, 5]);

    expect(calls.map(({ metricValue }) => metricValue)).toEqual([1, 1, 0, 0]);
    expect(test.world.aws.sns.outbox.map(({ subject }) => subject)).toEqual(['ALARM: "low" in eu-west-1']);
  });

  it('an alarm cannot publish to a topic that the key of SNS itself encrypts', async () => {
    const test = testWorld();
    for (const [Name, Attributes] of [
      ['open', {}],
      ['sealed', { KmsMasterKeyId: 'alias/aws/sns' }],
    ] as const) {
      const topic = { TopicName: Name, ...Attributes };
      const { physicalId: TopicArn } = await makeResource(test.world, 'AWS::SNS::Topic', topic);
      await makeResource(test.world, 'AWS::SNS::Subscription', {
        TopicArn,
        Protocol: 'email',
        Endpoint: 'a@example.test',
      });
      test.world.aws.sns.confirm(TopicArn, 'a@example.test');
      await alarm(test, { AlarmName: Name, AlarmActions: [TopicArn] });
    }

    await flow(test, [1, 1, 1]);

    expect(test.world.aws.sns.outbox.map(({ message }) => JSON.parse(message).AlarmName)).toEqual(['open']);
    expect(test.world.engine.journal.entries).toContainEqual(
      expect.objectContaining({ name: 'alarm action failed', subject: 'sealed' }),
    );
  });

  it('refuses what is not modelled, and what AWS refuses', async () => {
    const test = testWorld();

    await expect(alarm(test, { Period: 10 })).rejects.toMatchObject({ name: 'ValidationException' });
    await expect(alarm(test, { Statistic: undefined, ExtendedStatistic: 'tm90' })).rejects.toMatchObject({
      name: 'ValidationException',
    });
    await expect(alarm(test, { DatapointsToAlarm: 2 })).rejects.toMatchObject({ name: 'ValidationException' });
    await expect(alarm(test, { EvaluationPeriods: 1_441 })).rejects.toMatchObject({ name: 'ValidationException' });
    await expect(alarm(test, { AlarmActions: ['arn:aws:automate:eu-west-1:ec2:stop'] })).rejects.toMatchObject({
      name: 'ValidationException',
    });
  });

  it('sleeps without data: a thousand quiet alarms cost nothing over days', async () => {
    const test = testWorld();
    for (let n = 0; n < 1_000; n++)
      test.world.aws.cloudwatch.resources['AWS::CloudWatch::Alarm']!.create({
        type: '',
        logicalId: '',
        stackName: '',
        stackId: '',
        generateName: () => `alarm-${n}`,
        properties: {
          Namespace: 'Quiet',
          MetricName: `m${n}`,
          Statistic: 'Sum',
          Period: 60,
          EvaluationPeriods: 5,
          Threshold: 1,
          ComparisonOperator: 'GreaterThanThreshold',
          TreatMissingData: 'notBreaching',
        },
      });
    await test.clock.advance(2 * minute);
    const before = test.world.engine.journal.length;

    let fired = 0;
    const after = test.clock.after.bind(test.clock);
    test.clock.after = (delayMs, act) => {
      fired += 1;
      return after(delayMs, act);
    };
    await test.clock.advance(7 * 24 * 60 * minute);

    expect(fired).toBe(0);
    expect(test.world.engine.journal.length).toBe(before);
  });
});
