import { clusterDimension, metricNamespace, metrics } from '@drover/core/names/search-cluster';
import { Duration } from 'aws-cdk-lib';
import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';

/** The masters publish every five minutes. */
const period = Duration.minutes(5);
/** Each node publishes when its configuration timer runs, every half an hour: a shorter period would have gaps. */
const timerPeriod = Duration.hours(1);

/** How a metric is read unless the caller says otherwise: by its worst value. */
const usual: Readonly<Record<string, MetricOptions>> = {
  [metrics.certificateDays]: { statistic: Stats.MINIMUM, period: timerPeriod },
};

/** A metric that the nodes publish about their cluster. */
export const clusterMetric = (clusterName: string, metricName: string, options: MetricOptions = {}): Metric =>
  new Metric({
    namespace: metricNamespace,
    metricName,
    statistic: Stats.MAXIMUM,
    period,
    ...usual[metricName],
    ...options,
    dimensionsMap: { [clusterDimension]: clusterName, ...options.dimensionsMap },
  });
