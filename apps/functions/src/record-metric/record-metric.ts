import { recordMetric } from '@drover/runner-fleet';
import { compose, type Surroundings } from '../compose.ts';

/** `<asg>_record_metric`: every minute. */
export function recordMetricFunction(surroundings: Surroundings): (event: unknown) => Promise<void> {
  const ports = compose(surroundings);
  return async () => await recordMetric(ports);
}
