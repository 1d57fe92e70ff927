export type { Surroundings } from './compose.ts';
export { deregistrationFunction } from './deregistration/deregistration.ts';
export { recordMetricFunction } from './record-metric/record-metric.ts';
export { registrationFunction } from './registration/registration.ts';
