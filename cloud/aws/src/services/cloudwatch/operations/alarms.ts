import type {
  DescribeAlarmHistoryCommandInput,
  DescribeAlarmsCommandInput,
  PutMetricAlarmCommandInput,
} from '@aws-sdk/client-cloudwatch';
import type { ArnScope } from '../../../account/arn.ts';
import { AwsError } from '../../../account/errors.ts';
import { pageOf } from '../../../account/paging.ts';
import type { Operations, Permission } from '../../../account/service.ts';
import type { Alarms } from '../alarms/alarms.ts';
import { type Alarm, alarmArn, readAlarm } from '../alarms/model.ts';
import { describeMetricAlarm } from '../responses.ts';

const badToken = () => new AwsError('InvalidNextToken', 'The next token specified is invalid.');
const next = (token: string | undefined) => (token === undefined ? {} : { NextToken: token });

/** Alarms. */
export const alarmOperations = (scope: ArnScope, alarms: Alarms): Operations => {
  const on = (action: string, names: readonly (string | undefined)[]): Permission[] =>
    names.map((name) => ({ action: `cloudwatch:${action}`, resource: alarmArn(scope, name ?? '') }));
  const many = (action: string) => (input: { AlarmNames?: string[] | undefined }) => on(action, input.AlarmNames ?? []);
  return {
    PutMetricAlarm: {
      permissions: (input: PutMetricAlarmCommandInput) => on('PutMetricAlarm', [input.AlarmName]),
      run: (input: PutMetricAlarmCommandInput) => {
        alarms.put(readAlarm(scope, input, alarms.now, alarms.all.get(input.AlarmName ?? '')));
        return {};
      },
    },
    DescribeAlarms: {
      permissions: () => [{ action: 'cloudwatch:DescribeAlarms', resource: alarmArn(scope, '*') }],
      run: (input: DescribeAlarmsCommandInput) => describeAlarms(alarms, input),
    },
    DescribeAlarmHistory: {
      permissions: (input: DescribeAlarmHistoryCommandInput) => on('DescribeAlarmHistory', [input.AlarmName ?? '*']),
      run: (input: DescribeAlarmHistoryCommandInput) => describeHistory(alarms, input),
    },
    DeleteAlarms: {
      permissions: many('DeleteAlarms'),
      run: (input: { AlarmNames?: string[] }) => {
        for (const name of input.AlarmNames ?? []) alarms.delete(name);
        return {};
      },
    },
  };
};

/** Metric alarms only, unless other types are asked for. (API Reference, DescribeAlarms.) */
function describeAlarms(alarms: Alarms, input: DescribeAlarmsCommandInput) {
  if (input.AlarmNames !== undefined && input.AlarmNamePrefix !== undefined)
    throw new AwsError('ValidationError', 'AlarmNamePrefix and AlarmNames cannot be specified together.');
  const types: readonly string[] = input.AlarmTypes ?? ['MetricAlarm'];
  const found = [...alarms.all.values()]
    .filter((alarm) => types.includes(alarm.type) && wanted(alarm, input))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const page = pageOf(found, input.NextToken, input.MaxRecords ?? 50, badToken);
  return {
    MetricAlarms: page.items.map(describeMetricAlarm),
    CompositeAlarms: [],
    ...next(page.nextToken),
  };
}

const wanted = (alarm: Alarm, input: DescribeAlarmsCommandInput): boolean =>
  (input.AlarmNames === undefined || input.AlarmNames.includes(alarm.name)) &&
  alarm.name.startsWith(input.AlarmNamePrefix ?? '') &&
  (input.StateValue === undefined || alarm.state.value === input.StateValue) &&
  (input.ActionPrefix === undefined || alarm.alarmActions.some((action) => action.startsWith(input.ActionPrefix!)));

function describeHistory(alarms: Alarms, input: DescribeAlarmHistoryCommandInput) {
  const found = alarms.history.items
    .filter(({ alarmName }) => input.AlarmName === undefined || alarmName === input.AlarmName)
    .filter(({ kind }) => input.HistoryItemType === undefined || kind === input.HistoryItemType)
    .filter(
      ({ at }) =>
        at >= (input.StartDate?.getTime() ?? 0) && at <= (input.EndDate?.getTime() ?? Number.POSITIVE_INFINITY),
    );
  if (input.ScanBy !== 'TimestampAscending') found.reverse();
  const page = pageOf(found, input.NextToken, input.MaxRecords ?? 100, badToken);
  const AlarmHistoryItems = page.items.map(({ alarmName, alarmType, at, kind, summary, data }) => ({
    AlarmName: alarmName,
    AlarmType: alarmType,
    Timestamp: new Date(at),
    HistoryItemType: kind,
    HistorySummary: summary,
    HistoryData: data,
  }));
  return { AlarmHistoryItems, ...next(page.nextToken) };
}
