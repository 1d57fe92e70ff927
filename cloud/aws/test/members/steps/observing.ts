import type { Step } from '../play.ts';

const metric = { Namespace: 'n', MetricName: 'm' };
const dimension = [{ Name: 'd', Value: 'v' }];
const alarm = {
  ...metric,
  Statistic: 'Sum',
  Period: 60,
  EvaluationPeriods: 1,
  ComparisonOperator: 'GreaterThanThreshold',
  Threshold: 3,
};
const topic = 'arn:aws:sns:eu-west-1:123456789012:t';
const span = { StartTime: new Date('2026-01-05T00:00:00Z'), EndTime: new Date('2026-01-05T01:00:00Z'), Period: 60 };
const describe: Step = ['monitoring:DescribeAlarms', {}];
const math = {
  EvaluationPeriods: 1,
  ComparisonOperator: 'GreaterThanThreshold',
  Threshold: 3,
  Metrics: [
    { Id: 'a', MetricStat: { Metric: { ...metric, Dimensions: [] }, Period: 60, Stat: 'Sum' }, ReturnData: false },
    { Id: 'b', Expression: 'a * 2', ReturnData: true },
  ],
};
const value = (Value: number, more: object = {}) => ({ MetricName: 'm', Value, ...more });

export const metrics: readonly Step[] = [
  [
    'monitoring:PutMetricData',
    { Namespace: 'n', MetricData: [value(1), value(5, { Dimensions: dimension, Unit: 'Seconds' })] },
  ],
  ['monitoring:PutMetricData', { Namespace: 'o', MetricData: [{ MetricName: 'p', Value: 1 }] }],
  ['monitoring:ListMetrics', metric],
  ['monitoring:ListMetrics', { Namespace: 'n' }],
  ['monitoring:ListMetrics', { MetricName: 'm' }],
  ['monitoring:ListMetrics', { Dimensions: dimension }],
  ['monitoring:ListMetrics', { NextToken: 'nonsense' }],
  ['monitoring:GetMetricStatistics', { ...metric, ...span, Statistics: ['Sum'], Dimensions: dimension }],
  ['monitoring:GetMetricStatistics', { ...metric, ...span, ExtendedStatistics: ['p50'], Dimensions: dimension }],
  ['monitoring:GetMetricStatistics', { ...metric, ...span, Statistics: ['Sum'], Dimensions: dimension, Unit: 'Bytes' }],
  [
    'monitoring:PutMetricAlarm',
    {
      ...alarm,
      AlarmName: 'a',
      AlarmDescription: 'd',
      ActionsEnabled: false,
      AlarmActions: [topic],
      OKActions: [topic],
      InsufficientDataActions: [topic],
      DatapointsToAlarm: 1,
      TreatMissingData: 'breaching',
      Dimensions: dimension,
      Unit: 'Seconds',
      Tags: [{ Key: 'a', Value: 'b' }],
    },
  ],
  describe,
  ['monitoring:PutMetricAlarm', { ...alarm, Statistic: undefined, AlarmName: 'p', ExtendedStatistic: 'p50' }],
  ['monitoring:PutMetricAlarm', { ...math, AlarmName: 'math' }],
  ['monitoring:PutMetricAlarm', { ...math, AlarmName: 'band', ThresholdMetricId: 'b' }],
  120_000,
  describe,
  ['monitoring:DescribeAlarms', { AlarmNames: ['a'] }],
  ['monitoring:DescribeAlarms', { AlarmNamePrefix: 'm' }],
  ['monitoring:DescribeAlarms', { StateValue: 'OK' }],
  ['monitoring:DescribeAlarms', { ActionPrefix: 'arn:aws:sns' }],
  ['monitoring:DescribeAlarms', { AlarmTypes: ['CompositeAlarm'] }],
  ['monitoring:DescribeAlarms', { MaxRecords: 1 }],
  ['monitoring:DescribeAlarms', ({ DescribeAlarms }) => ({ NextToken: DescribeAlarms.NextToken })],
  ['monitoring:DescribeAlarmHistory', { AlarmName: 'a' }],
  ['monitoring:DescribeAlarmHistory', { HistoryItemType: 'StateUpdate' }],
  ['monitoring:DescribeAlarmHistory', { ScanBy: 'TimestampAscending' }],
  ['monitoring:DescribeAlarmHistory', { StartDate: new Date('2100-01-01') }],
  ['monitoring:DescribeAlarmHistory', { EndDate: new Date(0) }],
  ['monitoring:DescribeAlarmHistory', { MaxRecords: 1 }],
  ['monitoring:DescribeAlarmHistory', ({ DescribeAlarmHistory }) => ({ NextToken: DescribeAlarmHistory.NextToken })],
  ['monitoring:DeleteAlarms', { AlarmNames: ['a'] }],
];

const start = Date.parse('2026-01-05T00:00:00Z');
const group = { logGroupName: '/g' };
const stream = { ...group, logStreamName: 's' };
/** The first page of a search is empty. */
const search = (input: object): Step[] => [
  ['logs:FilterLogEvents', { ...group, ...input }],
  ['logs:FilterLogEvents', ({ FilterLogEvents }) => ({ ...group, ...input, nextToken: FilterLogEvents.nextToken })],
];
const logGroup = (LogGroupName: string) => ({ Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName } });
const stack = JSON.stringify({ Resources: { G: logGroup('/g'), H: logGroup('/h') } });

export const logs: readonly Step[] = [
  ['cloudformation:CreateStack', { StackName: 'logs', TemplateBody: stack }],
  60_000,
  ['logs:CreateLogStream', stream],
  ['logs:CreateLogStream', { ...group, logStreamName: 'other' }],
  [
    'logs:PutLogEvents',
    { ...stream, logEvents: [1, 2, 3].map((n) => ({ timestamp: start + n * 1_000, message: `line ${n}` })) },
  ],
  [
    'logs:PutLogEvents',
    { ...group, logStreamName: 'other', logEvents: [{ timestamp: start + 2_000, message: 'else' }] },
  ],
  60_000,
  ...search({ logStreamNames: ['other'] }),
  ...search({ logStreamNamePrefix: 'o' }),
  ...search({ filterPattern: 'else' }),
  ...search({ startTime: start + 2_500 }),
  ...search({ endTime: start + 1_500 }),
  ...search({ limit: 1 }),
  ['logs:FilterLogEvents', { logGroupIdentifier: '/g' }],
  ['logs:DescribeLogGroups', { logGroupNamePrefix: '/h' }],
  ['logs:DescribeLogGroups', { logGroupNamePattern: 'h' }],
  ['logs:DescribeLogGroups', { limit: 1 }],
  ['logs:DescribeLogGroups', ({ DescribeLogGroups }) => ({ nextToken: DescribeLogGroups.nextToken })],
  ['logs:DeleteLogGroup', group],
];
