import * as fleetNames from '@drover/core/names/runner-fleet';
import * as clusterNames from '@drover/core/names/search-cluster';
import type { Metrics } from '@drover/runner-fleet';
import type { ClusterMetrics } from '@drover/search-cluster/ports';
import type { AwsCalls } from './calls/calls.ts';
import { explained } from './calls/errors.ts';

/** All values of a fleet's pass in one call, with the group as dimension. */
export function fleetMetrics(
  aws: Pick<AwsCalls, 'monitoring'>,
  options: { readonly vendor: string; readonly groupName: string },
): Metrics {
  return {
    async put(values, dimensions = {}) {
      const all = { [fleetNames.groupDimension]: options.groupName, ...dimensions };
      await aws.monitoring('PutMetricData', metricData(fleetNames.metricNamespace(options.vendor), all, values));
    },
  };
}

/** All values of a cluster's pass in one call, with the cluster as dimension. */
export const clusterMetrics = (aws: Pick<AwsCalls, 'monitoring'>): ClusterMetrics => ({
  put: async (clusterName, values) => {
    const dimensions = { [clusterNames.clusterDimension]: clusterName };
    const input = metricData(clusterNames.metricNamespace, dimensions, values);
    await explained(aws, 'monitoring')('PutMetricData', input);
  },
});

function metricData(
  Namespace: string,
  dimensions: Readonly<Record<string, string>>,
  values: Readonly<Record<string, number>>,
) {
  const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  const MetricData = Object.entries(values).map(([MetricName, Value]) => ({ MetricName, Value, Dimensions }));
  return { Namespace, MetricData };
}
