import { clusterDimension, metricNamespace } from '@drover/core/names/search-cluster';
import type { ClusterMetrics } from '@drover/search-cluster';
import type { ClusterAws } from './clients.ts';
import { call } from './errors.ts';
import { cloudWatchSdk } from './sdk-modules.ts';

/** All values of a pass in one call, with the cluster as dimension. */
export const clusterMetrics = (aws: ClusterAws): ClusterMetrics => ({
  put: async (clusterName, values) => {
    const client = await aws.cloudWatch();
    const { PutMetricDataCommand } = await cloudWatchSdk();
    const Dimensions = [{ Name: clusterDimension, Value: clusterName }];
    const MetricData = Object.entries(values).map(([MetricName, Value]) => ({ MetricName, Value, Dimensions }));
    const command = new PutMetricDataCommand({ Namespace: metricNamespace, MetricData });
    await call('cloudwatch:PutMetricData', () => client.send(command));
  },
});
