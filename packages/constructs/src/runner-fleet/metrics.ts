import { type FunctionSuffix, functionName, groupDimension, metricNamespace } from '@drover/core/names/runner-fleet';
import { Duration } from 'aws-cdk-lib';
import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';

/** Everything is measured once a minute. */
const period = Duration.minutes(1);

/** A metric that the functions publish about the fleet. */
export const fleetMetric = (
  { vendor, groupName }: { readonly vendor: string; readonly groupName: string },
  metricName: string,
  options: MetricOptions = {},
): Metric =>
  new Metric({
    namespace: metricNamespace(vendor),
    metricName,
    statistic: Stats.AVERAGE,
    period,
    ...options,
    dimensionsMap: { [groupDimension]: groupName, ...options.dimensionsMap },
  });

/** A metric that EC2 Auto Scaling publishes about the group. */
export const groupMetric = (groupName: string, metricName: string): Metric =>
  new Metric({
    namespace: 'AWS/AutoScaling',
    metricName,
    dimensionsMap: { [groupDimension]: groupName },
    statistic: Stats.AVERAGE,
    period,
  });

/** A metric that Lambda publishes about one of the functions. */
export const functionMetric = (
  groupName: string,
  suffix: FunctionSuffix,
  metricName: string,
  options: MetricOptions,
): Metric =>
  new Metric({
    namespace: 'AWS/Lambda',
    metricName,
    dimensionsMap: { FunctionName: functionName(groupName, suffix) },
    period,
    ...options,
  });
