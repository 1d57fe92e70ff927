import { type CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { groupDimension, metricNamespace } from '@drover/core/names/runner-fleet';
import type { Metrics } from '@drover/runner-fleet';

/** All values of a pass in one call, with the group as dimension. */
export function fleetMetrics(
  client: Pick<CloudWatchClient, 'send'>,
  options: { readonly vendor: string; readonly groupName: string },
): Metrics {
  return {
    async put(values, dimensions = {}) {
      const common = { [groupDimension]: options.groupName, ...dimensions };
      const Dimensions = Object.entries(common).map(([Name, Value]) => ({ Name, Value }));
      const MetricData = Object.entries(values).map(([MetricName, Value]) => ({ MetricName, Value, Dimensions }));
      await client.send(new PutMetricDataCommand({ Namespace: metricNamespace(options.vendor), MetricData }));
    },
  };
}
