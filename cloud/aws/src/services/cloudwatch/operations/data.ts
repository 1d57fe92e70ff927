import type {
  GetMetricStatisticsCommandInput,
  ListMetricsCommandInput,
  MetricDatum,
  PutMetricDataCommandInput,
} from '@aws-sdk/client-cloudwatch';
import type { Clock } from '@drover/core';
import { AwsError } from '../../../account/errors.ts';
import { pageOf } from '../../../account/paging.ts';
import type { Operations } from '../../../account/service.ts';
import { statisticOf } from '../bucket.ts';
import { dimensionList, dimensionRecord, invalidCombination, invalidValue, type MetricName } from '../model.ts';
import { metricName, requirePeriod, requireStatistic } from '../queries.ts';
import type { Series } from '../series.ts';
import type { Metrics } from '../state.ts';

/** (API Reference, PutMetricData.) */
const datumLimit = 1_000;
const valueLimit = 150;
const dimensionLimit = 30;
/** Most datapoints of one response. (API Reference, GetMetricStatistics and GetMetricData.) */
const statisticsLimit = 1_440;

/** Publishing metrics and reading them. */
export const dataOperations = (metrics: Metrics, clock: Clock): Operations => ({
  PutMetricData: {
    permissions: (input: PutMetricDataCommandInput) => [
      { action: 'cloudwatch:PutMetricData', resource: '*', context: { 'cloudwatch:namespace': input.Namespace ?? '' } },
    ],
    run: (input: PutMetricDataCommandInput) => {
      const data = input.MetricData ?? [];
      if (data.length > datumLimit)
        throw invalidValue(`MetricData has ${data.length} members; at most ${datumLimit} are allowed`);
      if (input.Namespace?.startsWith('AWS/')) throw invalidValue('The value AWS/ for parameter Namespace is invalid.');
      for (const datum of data) validate(datum, clock.now());
      for (const datum of data) record(metrics, input.Namespace ?? '', datum, clock.now());
      return {};
    },
  },
  GetMetricStatistics: {
    permissions: () => [{ action: 'cloudwatch:GetMetricStatistics', resource: '*' }],
    run: (input: GetMetricStatisticsCommandInput) => getStatistics(metrics, input),
  },
  ListMetrics: {
    permissions: () => [{ action: 'cloudwatch:ListMetrics', resource: '*' }],
    run: (input: ListMetricsCommandInput) => listMetrics(metrics, input),
  },
});

const twoWeeksMs = 14 * 86_400_000;
const twoHoursMs = 2 * 3_600_000;

function validate(datum: MetricDatum, now: number): void {
  if (!datum.MetricName) throw invalidValue('The parameter MetricData.member.1.MetricName is required.');
  if ((datum.Dimensions ?? []).length > dimensionLimit)
    throw invalidValue(`At most ${dimensionLimit} dimensions are allowed.`);
  for (const { Name, Value } of datum.Dimensions ?? [])
    if (!Name || !Value)
      throw invalidValue('The value  for parameter MetricData.member.1.Dimensions must not be empty.');
  const at = datum.Timestamp?.getTime() ?? now;
  if (at < now - twoWeeksMs || at > now + twoHoursMs)
    throw invalidValue('Timestamp must be between two weeks before and two hours after the current time.');
  if ((datum.Values?.length ?? 0) > valueLimit) throw invalidValue(`Values has more than ${valueLimit} members.`);
  if (datum.Counts !== undefined && datum.Counts.length !== datum.Values?.length)
    throw invalidValue('Values and Counts must have the same number of members.');
  const given = [datum.Value, datum.StatisticValues, datum.Values].filter((each) => each !== undefined).length;
  if (given !== 1) throw invalidCombination('Exactly one of Value, StatisticValues and Values must be given.');
  for (const value of [datum.Value ?? 0, ...(datum.Values ?? [])])
    if (!Number.isFinite(value)) throw invalidValue(`The value ${value} is not a number that can be published.`);
}

function record(metrics: Metrics, namespace: string, datum: MetricDatum, now: number): void {
  const metric: MetricName = { namespace, name: datum.MetricName!, dimensions: dimensionRecord(datum.Dimensions) };
  const at = datum.Timestamp?.getTime() ?? now;
  metrics.record(metric, datum.Unit, (series) => addDatum(series, at, datum));
}

function addDatum(series: Series, at: number, datum: MetricDatum): void {
  const set = datum.StatisticValues;
  if (datum.Value !== undefined) series.add(at, datum.Value);
  else if (set !== undefined)
    series.addSet(at, { sum: set.Sum ?? 0, count: set.SampleCount ?? 0, min: set.Minimum ?? 0, max: set.Maximum ?? 0 });
  else
    datum.Values?.forEach((value, index) => {
      series.add(at, value, datum.Counts?.[index] ?? 1);
    });
}

/** Beginnings of the periods of a time range. */
function periodsOf(from: Date | undefined, to: Date | undefined, periodSeconds: number, limit: number): number[] {
  const periodMs = periodSeconds * 1_000;
  const [start, end] = [from?.getTime() ?? 0, to?.getTime() ?? 0];
  if (!(start < end)) throw invalidValue('The parameter StartTime must be less than the parameter EndTime.');
  const first = Math.floor(start / periodMs) * periodMs;
  const count = Math.ceil((end - first) / periodMs);
  if (count > limit)
    throw invalidCombination(`You have requested up to ${count} datapoints, which exceeds the limit of ${limit}.`);
  return Array.from({ length: count }, (_, index) => first + index * periodMs);
}

function getStatistics(metrics: Metrics, input: GetMetricStatisticsCommandInput) {
  const period = input.Period ?? 60;
  requirePeriod(period);
  const found = metrics.find(metricName(input));
  // "If you specify a unit, the operation returns only results that were collected with that unit."
  const series = input.Unit === undefined || input.Unit === (found?.unit ?? 'None') ? found : undefined;
  const plain = input.Statistics ?? [];
  const extended = input.ExtendedStatistics ?? [];
  if (plain.length === 0 && extended.length === 0)
    throw new AwsError('MissingParameter', 'The parameter Statistics or ExtendedStatistics is required.');
  if (plain.length > 0 && extended.length > 0)
    throw invalidCombination('The parameters Statistics and ExtendedStatistics cannot be used together.');
  for (const statistic of [...plain, ...extended]) requireStatistic(statistic);
  const Datapoints = periodsOf(input.StartTime, input.EndTime, period, statisticsLimit).flatMap((at) => {
    const bucket = series?.window(at, at + period * 1_000);
    if (bucket === undefined) return [];
    const values = Object.fromEntries(plain.map((statistic) => [statistic, statisticOf(bucket, statistic)]));
    const percentiles = Object.fromEntries(extended.map((statistic) => [statistic, statisticOf(bucket, statistic)]));
    return [
      {
        Timestamp: new Date(at),
        ...values,
        ...(extended.length === 0 ? {} : { ExtendedStatistics: percentiles }),
        Unit: series?.unit ?? 'None',
      },
    ];
  });
  return { Label: input.MetricName, Datapoints };
}

function listMetrics(metrics: Metrics, input: ListMetricsCommandInput) {
  const found = [...metrics.all]
    .filter(({ newestAt }) => newestAt !== undefined)
    .map(({ metric }) => metric)
    .filter(({ namespace }) => input.Namespace === undefined || namespace === input.Namespace)
    .filter(({ name }) => input.MetricName === undefined || name === input.MetricName)
    .filter(({ dimensions }) =>
      (input.Dimensions ?? []).every(
        ({ Name = '', Value }) => Name in dimensions && (Value === undefined || dimensions[Name] === Value),
      ),
    );
  const page = pageOf(found, input.NextToken, 500, () => invalidValue('Invalid nextToken'));
  const Metrics = page.items.map(({ namespace, name, dimensions }) => ({
    Namespace: namespace,
    MetricName: name,
    Dimensions: dimensionList(dimensions),
  }));
  return { Metrics, ...(page.nextToken === undefined ? {} : { NextToken: page.nextToken }) };
}
