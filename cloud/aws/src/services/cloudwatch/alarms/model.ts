import type { MetricDataQuery, PutMetricAlarmCommandInput } from '@aws-sdk/client-cloudwatch';
import { type ArnScope, arn } from '../../../account/arn.ts';
import { dimensionList, validation } from '../model.ts';
import { metricName, type Query, readQueries, requirePeriod, requireStatistic } from '../queries.ts';
import type { AlarmRule, AlarmState, MissingData } from './missing-data.ts';

export interface StateRecord {
  readonly value: AlarmState;
  readonly reason: string;
  readonly reasonData: string | undefined;
  readonly updatedAt: number;
  /** When the value last became another. */
  readonly transitionedAt: number;
}

interface AnyAlarm {
  readonly name: string;
  readonly arn: string;
  readonly description: string | undefined;
  readonly okActions: readonly string[];
  readonly alarmActions: readonly string[];
  readonly insufficientDataActions: readonly string[];
  readonly configuredAt: number;
  readonly tags: Readonly<Record<string, string>>;
  actionsEnabled: boolean;
  state: StateRecord;
}

/** An alarm on a metric or on metric math. */
export interface MetricAlarm extends AnyAlarm, AlarmRule {
  readonly type: 'MetricAlarm';
  readonly queries: readonly Query[];
  /** The query that is compared with the threshold. */
  readonly watched: Query;
  readonly threshold: number;
  readonly comparison: string;
  /** As it was given, for DescribeAlarms. */
  readonly given: PutMetricAlarmCommandInput;
  /** The newest datapoint of the last evaluation. */
  lastValue: number | undefined;
}

export type Alarm = MetricAlarm;

const comparisons: Readonly<Record<string, (value: number, threshold: number) => boolean>> = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  GreaterThanThreshold: (value, threshold) => value > threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
};

const treatments = ['missing', 'ignore', 'breaching', 'notBreaching'];

/** (API Reference, PutMetricAlarm.) A day, or a week for periods of an hour and more. */
const longestIntervalSeconds = (periodSeconds: number) => (periodSeconds >= 3_600 ? 604_800 : 86_400);

/** Which actions are modelled: scaling policies, topics, functions. */
const knownAction = /^arn:aws:(autoscaling:.*:scalingPolicy:|sns:)/;

const initialState = (now: number): StateRecord => ({
  value: 'INSUFFICIENT_DATA',
  reason: 'Unchecked: Initial alarm creation',
  reasonData: undefined,
  updatedAt: now,
  transitionedAt: now,
});

export const alarmArn = (scope: ArnScope, name: string) => arn(scope, 'cloudwatch', `alarm:${name}`);

/** The members that every alarm has; an existing alarm keeps its state. */
function anyAlarm(
  scope: ArnScope,
  given: PutMetricAlarmCommandInput,
  now: number,
  before: Alarm | undefined,
): AnyAlarm {
  const name = given.AlarmName ?? '';
  return {
    name,
    arn: alarmArn(scope, name),
    description: given.AlarmDescription,
    okActions: given.OKActions ?? [],
    alarmActions: given.AlarmActions ?? [],
    insufficientDataActions: given.InsufficientDataActions ?? [],
    configuredAt: now,
    tags: Object.fromEntries((given.Tags ?? []).map(({ Key, Value }) => [Key ?? '', Value ?? ''])),
    actionsEnabled: given.ActionsEnabled !== false,
    state: before?.state ?? initialState(now),
  };
}

/** Reads and checks what PutMetricAlarm was given; the state of an alarm that exists stays. */
export function readAlarm(
  scope: ArnScope,
  given: PutMetricAlarmCommandInput,
  now: number,
  before?: Alarm,
): MetricAlarm {
  const compare = comparisons[given.ComparisonOperator ?? ''];
  if (compare === undefined)
    throw validation(`the embedded cloud does not model the comparison ${given.ComparisonOperator}`);
  const queries = queriesOf(given);
  const watched = queries.filter(({ returnData }) => returnData);
  if (watched.length !== 1) throw validation('Exactly one element of the metrics list should return data');
  const evaluationPeriods = given.EvaluationPeriods ?? 0;
  const threshold = given.Threshold ?? 0;
  validate(given, evaluationPeriods, watched[0]!.periodSeconds);
  return {
    type: 'MetricAlarm',
    ...anyAlarm(scope, given, now, before),
    queries,
    watched: watched[0]!,
    threshold,
    comparison: given.ComparisonOperator!,
    evaluationPeriods,
    datapointsToAlarm: given.DatapointsToAlarm ?? evaluationPeriods,
    treatMissingData: (given.TreatMissingData ?? 'missing') as MissingData,
    breaches: (value) => compare(value, threshold),
    given,
    lastValue: undefined,
  };
}

function validate(given: PutMetricAlarmCommandInput, evaluationPeriods: number, periodSeconds: number): void {
  const needed = given.DatapointsToAlarm ?? evaluationPeriods;
  if (evaluationPeriods < 1) throw validation(`EvaluationPeriods is ${evaluationPeriods}; it must be at least 1`);
  if (needed < 1 || needed > evaluationPeriods)
    throw validation(
      `DatapointsToAlarm is ${needed}; it must be between 1 and EvaluationPeriods (${evaluationPeriods})`,
    );
  if (evaluationPeriods * periodSeconds > longestIntervalSeconds(periodSeconds))
    throw validation('Metrics cannot be checked across more than a day (EvaluationPeriods * Period must be <= 86400).');
  if (given.TreatMissingData !== undefined && !treatments.includes(given.TreatMissingData))
    throw validation(
      `Option ${given.TreatMissingData} is not supported. Supported options for TreatMissingData: ${treatments.join(', ')}`,
    );
  if (given.ThresholdMetricId !== undefined) throw validation('the embedded cloud does not model anomaly detection');
  for (const action of [
    ...(given.AlarmActions ?? []),
    ...(given.OKActions ?? []),
    ...(given.InsufficientDataActions ?? []),
  ])
    if (!knownAction.test(action)) throw validation(`the embedded cloud does not model the alarm action ${action}`);
}

function queriesOf(given: PutMetricAlarmCommandInput): readonly Query[] {
  if (given.Metrics?.length) return readQueries(given.Metrics);
  const periodSeconds = given.Period ?? 60;
  const statistic = given.Statistic ?? given.ExtendedStatistic ?? '';
  if (given.MetricName === undefined) throw validation('MetricName or Metrics must be given');
  requirePeriod(periodSeconds);
  requireStatistic(statistic);
  const name = metricName(given);
  return [{ id: 'm1', label: name.name, returnData: true, periodSeconds, metric: { name, statistic } }];
}

/** The metrics of an alarm as events and notifications show them. */
export const metricsOf = ({ queries, given }: MetricAlarm): readonly MetricDataQuery[] =>
  given.Metrics ??
  queries.map(({ id, periodSeconds, metric, returnData }) => ({
    Id: id,
    MetricStat: {
      Metric: {
        Namespace: metric!.name.namespace,
        MetricName: metric!.name.name,
        Dimensions: dimensionList(metric!.name.dimensions),
      },
      Period: periodSeconds,
      Stat: metric!.statistic,
    },
    ReturnData: returnData,
  }));
