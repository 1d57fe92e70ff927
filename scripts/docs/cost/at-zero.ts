import prices from '../../../packages/operator/src/fleet/prices.json' with { type: 'json' };
import type { QuietHour } from './quiet-hour.ts';

const hoursAMonth = 730;
const price = prices.services;

/**
 * Seconds that a run of a function takes beside the time for which it waits on purpose: the embedded cloud's requests take none. An
 * estimate: some requests of 50 ms one after the other, and the work of a seventh of a processor.
 */
const workSeconds = 0.5;

/** Requests to S3 at the price of a write; the others are at that of a read. */
const writes = ['PutObject', 'ListObjectsV2', 'CopyObject', 'CompleteMultipartUpload', 'CreateMultipartUpload'];
const s3Reads = ['GetObject', 'HeadObject'];

export interface CostLine {
  readonly what: string;
  /** The usage of a month. */
  readonly counted: string;
  readonly usd: number;
}

const inAMonth = (count: number) => Math.round(count * hoursAMonth).toLocaleString('en-US');

/** The cost of a month of 730 such hours beside instances and their volumes, without any free tier. */
export function costAtZero({ resources, runs, requests, metrics, logBytes }: QuietHour): readonly CostLine[] {
  const count = (type: string) => resources.filter(({ Type }) => Type === type).length;
  const sum = (names: readonly string[]) => names.reduce((all, name) => all + (requests[name] ?? 0), 0);
  const gbSeconds = (which: (suffix: string) => boolean) =>
    runs
      .filter(({ suffix }) => which(suffix))
      .reduce((all, { memoryMb, seconds }) => all + (memoryMb / 1024) * (seconds + workSeconds), 0);
  const demand = gbSeconds((suffix) => suffix === 'demand');
  const others = gbSeconds((suffix) => suffix !== 'demand');
  const alarms = resources
    .filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
    .reduce((all, { Properties }) => all + billedMetrics(Properties), 0);
  const published = sum(['PutMetricData']);
  const lambda = (seconds: number) => seconds * hoursAMonth * price.lambdaGBSecond;
  return [
    { what: 'function `demand`', counted: `${inAMonth(demand)} GB-seconds`, usd: lambda(demand) },
    {
      what: 'the other functions, and runs of all',
      counted: `${inAMonth(others)} GB-seconds, ${inAMonth(runs.length)} runs`,
      usd: lambda(others) + runs.length * hoursAMonth * price.lambdaRequest,
    },
    {
      what: 'alarms, by the metrics that they read',
      counted: `${count('AWS::CloudWatch::Alarm')} on ${alarms}`,
      usd: alarms * price.alarmMetric,
    },
    {
      what: 'metrics, and requests that publish them',
      counted: `${metrics.size}, ${inAMonth(published)} requests`,
      usd: metrics.size * price.metric + published * hoursAMonth * price.putMetricData,
    },
    {
      what: 'requests to S3',
      counted: `${inAMonth(sum(writes))} writes, ${inAMonth(sum(s3Reads))} reads`,
      usd: hoursAMonth * (sum(writes) * price.s3Write + sum(s3Reads) * price.s3Read),
    },
    {
      what: 'key of the logs, secret of the credentials, logs',
      counted: `${count('AWS::KMS::Key')} key`,
      usd:
        count('AWS::KMS::Key') * price.key +
        price.secret +
        hoursAMonth * (sum(['GetSecretValue']) * price.secretRequest + (logBytes / 1e9) * price.logGB),
    },
  ];
}

/** An alarm is billed by the metrics that it reads. */
const billedMetrics = ({ Metrics }: { readonly Metrics?: readonly { readonly MetricStat?: object }[] }): number =>
  Metrics === undefined ? 1 : Metrics.filter(({ MetricStat }) => MetricStat !== undefined).length;

export const totalOf = (lines: readonly CostLine[]): number => lines.reduce((all, { usd }) => all + usd, 0);

/** One NAT gateway, which runners in private subnets need. */
export const natMonth = hoursAMonth * price.natHour;
