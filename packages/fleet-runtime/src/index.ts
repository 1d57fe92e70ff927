export { type CommonAws, composeFleet, type FunctionRuntime } from './compose.ts';
export { demandFunction } from './demand.ts';
export { deregistrationFunction, terminationPorts } from './deregistration.ts';
export { bakeDaysIn, imageFunction } from './image.ts';
export { recordMetricFunction } from './record-metric.ts';
export { registrationFunction } from './registration.ts';
export { runnerVersionFunction } from './runner-version.ts';
export { readScalingConfig } from './scaling-config.ts';
