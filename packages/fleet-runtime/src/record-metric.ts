import type { FleetClients } from '@drover/adapters/fleet/clients';
import { fleetMetrics } from '@drover/adapters/fleet/metrics';
import { recordMetric } from '@drover/runner-fleet';
import { compose, type Surroundings } from '../compose.ts';
import { failingInFull } from '../failing-in-full.ts';

export type RecordMetricClients = Pick<FleetClients, 'autoscaling' | 'secrets' | 'cloudwatch'>;

/** `<asg>_record_metric`: every minute; whatever the event says, it means that it is time. */
export const recordMetricFunction = failingInFull((surroundings: Surroundings<RecordMetricClients>) => {
  const { ports: common, config, clients } = compose(surroundings);
  const { vendor, groupName, runnerReleasedAt } = config;
  const ports = { ...common, metrics: fleetMetrics(clients.cloudwatch, { vendor, groupName }), runnerReleasedAt };
  return async () => await recordMetric(ports);
});
