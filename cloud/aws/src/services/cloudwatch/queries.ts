import type { MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { knownStatistic, statisticOf } from './bucket.ts';
import { evaluate, type MathScope, type Points, type Value } from './math/evaluate.ts';
import { type Expression, parseExpression } from './math/parse.ts';
import { dimensionRecord, type MetricName, validation } from './model.ts';
import type { Series } from './series.ts';
import type { Metrics } from './state.ts';

/** One metric or expression of a request, ready to be computed. */
export interface Query {
  readonly id: string;
  readonly label: string;
  readonly returnData: boolean;
  readonly periodSeconds: number;
  readonly metric?: { readonly name: MetricName; readonly statistic: string };
  readonly expression?: Expression;
}

/** Moments at which values are asked for: windows that end at `endsMs`, each as long as the period. */
interface Windows {
  readonly endsMs: readonly number[];
}

/** Reads the queries of GetMetricData or of an alarm. */
export function readQueries(given: readonly MetricDataQuery[]): readonly Query[] {
  const fallback = given.find(({ MetricStat }) => MetricStat !== undefined)?.MetricStat?.Period ?? 60;
  return given.map((query) => {
    const id = query.Id ?? '';
    if (!/^[a-z]\w*$/.test(id))
      throw validation(`Invalid metrics list: the id "${id}" must begin with a lower-case letter`);
    const periodSeconds = query.MetricStat?.Period ?? query.Period ?? fallback;
    requirePeriod(periodSeconds);
    const common = { id, label: query.Label ?? id, returnData: query.ReturnData !== false, periodSeconds };
    if (query.MetricStat === undefined) return { ...common, expression: parseExpression(query.Expression ?? '') };
    const { Metric, Stat = '' } = query.MetricStat;
    requireStatistic(Stat);
    const name = metricName(Metric ?? {});
    return { ...common, label: query.Label ?? name.name, metric: { name, statistic: Stat } };
  });
}

export const metricName = (given: {
  Namespace?: string | undefined;
  MetricName?: string | undefined;
  Dimensions?: readonly { Name?: string | undefined; Value?: string | undefined }[] | undefined;
}): MetricName => ({
  namespace: given.Namespace ?? '',
  name: given.MetricName ?? '',
  dimensions: dimensionRecord(given.Dimensions),
});

export function requirePeriod(seconds: number): void {
  if (!(seconds > 0 && seconds % 60 === 0))
    throw validation(`Period is ${seconds}; the embedded cloud models multiples of 60 seconds`);
}

export function requireStatistic(statistic: string): void {
  if (!knownStatistic(statistic)) throw validation(`the embedded cloud does not model the statistic ${statistic}`);
}

/** The value of each window of one metric. */
export function pointsOf(series: Series | undefined, statistic: string, periodMs: number, { endsMs }: Windows): Points {
  return endsMs.map((end) => {
    const bucket = series?.window(end - periodMs, end);
    return bucket === undefined ? undefined : statisticOf(bucket, statistic);
  });
}

/** Computes queries by id, each at most once. */
export function computeQueries(metrics: Metrics, queries: readonly Query[], windowsOf: (query: Query) => Windows) {
  const byId = new Map(queries.map((query) => [query.id, query]));
  const known = new Map<string, Value>();
  const open = new Set<string>();
  const compute = (id: string): Value => {
    const done = known.get(id);
    if (done !== undefined) return done;
    const query = byId.get(id);
    if (query === undefined) throw validation(`Error in expression: ${id} is not defined`);
    if (open.has(id)) throw validation(`Error in expression: ${id} refers to itself`);
    open.add(id);
    const value = query.metric === undefined ? fromExpression(query) : fromMetric(query, query.metric);
    known.set(id, value);
    return value;
  };
  const fromMetric = (query: Query, { name, statistic }: NonNullable<Query['metric']>) =>
    pointsOf(metrics.find(name), statistic, query.periodSeconds * 1_000, windowsOf(query));
  const fromExpression = (query: Query) => {
    const scope: MathScope = {
      value: compute,
      metricIds: queries.filter(({ metric }) => metric !== undefined).map(({ id }) => id),
      label: (id) => byId.get(id)?.label ?? id,
      length: windowsOf(query).endsMs.length,
      periodSeconds: query.periodSeconds,
    };
    return evaluate(query.expression!, scope);
  };
  return (query: Query): Points => single(compute(query.id), windowsOf(query).endsMs.length, query.id);
}

/** A returned result must be one time series. */
function single(value: Value, length: number, id: string): Points {
  if (typeof value === 'number') return new Array<number>(length).fill(value);
  if (!Array.isArray(value[0])) return value as Points;
  const [first, ...more] = value as readonly Points[];
  if (more.length > 0) throw validation(`The expression ${id} returns more than one time series`);
  return first ?? [];
}
