import type { FleetClients } from '@drover/adapters/fleet/clients';
import { fleetMetrics } from '@drover/adapters/fleet/metrics';
import { recordMetric } from '@drover/runner-fleet';
import { compose, type Surroundings } from '../compose.ts';

export type RecordMetricClients = Pick<FleetClients, 'autoscaling' | 'secrets' | 'cloudwatch'>;

/** `<asg>_record_metric`: every minute. */
export function recordMetricFunction(
  surroundings: Surroundings<RecordMetricClients>,
): (event: unknown) => Promise<void> {
  const { ports: common, config, clients } = compose(surroundings);
  const { vendor, groupName, runnerReleasedAt } = config;
  const ports = { ...common, metrics: fleetMetrics(clients.cloudwatch, { vendor, groupName }), runnerReleasedAt };
  return async () => await recordMetric(ports);
}
