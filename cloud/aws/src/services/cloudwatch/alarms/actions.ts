import { AwsError } from '../../../account/errors.ts';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import type { AlarmState } from './missing-data.ts';
import { type Alarm, type MetricAlarm, metricsOf, type StateRecord } from './model.ts';

export const isScalingAction = (action: string) => action.includes(':autoscaling:');

export const actionsFor = (alarm: Alarm, state: AlarmState): readonly string[] =>
  state === 'ALARM' ? alarm.alarmActions : state === 'OK' ? alarm.okActions : alarm.insufficientDataActions;

/** Carries one action out. CloudWatch does not care whether it worked; the journal does. */
export function carryOut(aws: AwsNeighbours, alarm: Alarm, action: string, previous: StateRecord): void {
  try {
    if (isScalingAction(action)) scale(aws, alarm as MetricAlarm, action);
    else notify(aws, alarm, action, previous);
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    aws.engine.journal.record({
      kind: 'event',
      source: 'aws.cloudwatch',
      name: 'alarm action failed',
      subject: alarm.name,
      detail: { action, error: error.code },
    });
  }
}

function scale(aws: AwsNeighbours, alarm: MetricAlarm, policyArn: string): void {
  const { name, threshold, lastValue } = alarm;
  aws.autoscaling.executePolicyFromAlarm(policyArn, { name, threshold, metricValue: lastValue ?? threshold });
}

function notify(aws: AwsNeighbours, alarm: Alarm, topicArn: string, previous: StateRecord): void {
  const subject = `${alarm.state.value}: "${alarm.name}" in ${aws.region}`.slice(0, 100);
  const message = JSON.stringify(notification(aws, alarm, previous));
  aws.sns.publishAs('cloudwatch.amazonaws.com', topicArn, subject, message, alarm.arn);
}

/** The detail of the event `CloudWatch Alarm State Change`. (EventBridge User Guide, "Alarm events and EventBridge".) */
export const stateChange = (alarm: Alarm, previous: StateRecord) => ({
  alarmName: alarm.name,
  state: describeState(alarm.state),
  previousState: describeState(previous),
  configuration: {
    ...(alarm.description && { description: alarm.description }),
    metrics: metricsOf(alarm).map(lowerCased),
  },
});

const describeState = ({ value, reason, reasonData, updatedAt }: StateRecord) => ({
  value,
  reason,
  ...(reasonData === undefined ? {} : { reasonData }),
  timestamp: new Date(updatedAt).toISOString().replace('Z', '+0000'),
});

/** Events write member names in lower camel case and dimensions as an object. */
function lowerCased(query: ReturnType<typeof metricsOf>[number]) {
  const { Id: id, Expression: expression, MetricStat, ReturnData: returnData } = query;
  const { Metric, Period: period, Stat: stat } = MetricStat ?? {};
  const dimensions = Object.fromEntries((Metric?.Dimensions ?? []).map(({ Name, Value }) => [Name, Value]));
  const metric = { namespace: Metric?.Namespace, name: Metric?.MetricName, dimensions };
  return {
    id,
    ...(expression === undefined ? {} : { expression }),
    ...(MetricStat === undefined ? {} : { metricStat: { metric, period, stat } }),
    returnData: returnData !== false,
  };
}

const notification = (aws: AwsNeighbours, alarm: Alarm, previous: StateRecord) => ({
  AlarmName: alarm.name,
  AlarmDescription: alarm.description ?? null,
  AWSAccountId: aws.accountId,
  NewStateValue: alarm.state.value,
  NewStateReason: alarm.state.reason,
  StateChangeTime: new Date(alarm.state.updatedAt).toISOString().replace('Z', '+0000'),
  Region: aws.region,
  AlarmArn: alarm.arn,
  OldStateValue: previous.value,
  OKActions: alarm.okActions,
  AlarmActions: alarm.alarmActions,
  InsufficientDataActions: alarm.insufficientDataActions,
  Trigger: trigger(alarm),
});

const trigger = (alarm: MetricAlarm) => ({
  MetricName: alarm.given.MetricName,
  Namespace: alarm.given.Namespace,
  Statistic: alarm.given.Statistic?.toUpperCase(),
  Dimensions: (alarm.given.Dimensions ?? []).map(({ Name, Value }) => ({ name: Name, value: Value })),
  Period: alarm.watched.periodSeconds,
  EvaluationPeriods: alarm.evaluationPeriods,
  DatapointsToAlarm: alarm.datapointsToAlarm,
  ComparisonOperator: alarm.comparison,
  Threshold: alarm.threshold,
  TreatMissingData: alarm.treatMissingData,
});
