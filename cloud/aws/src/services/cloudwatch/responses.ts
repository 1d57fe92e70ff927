import type { Alarm, MetricAlarm } from './alarms/model.ts';

const common = (alarm: Alarm) => ({
  AlarmName: alarm.name,
  AlarmArn: alarm.arn,
  ...(alarm.description === undefined ? {} : { AlarmDescription: alarm.description }),
  AlarmConfigurationUpdatedTimestamp: new Date(alarm.configuredAt),
  ActionsEnabled: alarm.actionsEnabled,
  OKActions: [...alarm.okActions],
  AlarmActions: [...alarm.alarmActions],
  InsufficientDataActions: [...alarm.insufficientDataActions],
  StateValue: alarm.state.value,
  StateReason: alarm.state.reason,
  ...(alarm.state.reasonData === undefined ? {} : { StateReasonData: alarm.state.reasonData }),
  StateUpdatedTimestamp: new Date(alarm.state.updatedAt),
  StateTransitionedTimestamp: new Date(alarm.state.transitionedAt),
});

/** A metric alarm as DescribeAlarms shows it. */
export function describeMetricAlarm(alarm: MetricAlarm) {
  const { given } = alarm;
  const single = {
    MetricName: given.MetricName,
    Namespace: given.Namespace,
    Statistic: given.Statistic,
    ExtendedStatistic: given.ExtendedStatistic,
    Period: given.Period,
    Unit: given.Unit,
    TreatMissingData: given.TreatMissingData,
    DatapointsToAlarm: given.DatapointsToAlarm,
  };
  return {
    ...common(alarm),
    ...Object.fromEntries(Object.entries(single).filter(([, value]) => value !== undefined)),
    Dimensions: given.Dimensions ?? [],
    ...(given.Metrics === undefined ? {} : { Metrics: given.Metrics }),
    EvaluationPeriods: alarm.evaluationPeriods,
    Threshold: alarm.threshold,
    ComparisonOperator: alarm.comparison,
  };
}
