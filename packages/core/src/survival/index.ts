export { dangersOf } from './standing.ts';
export { clusterSurvives, fleetSurvives, type Survival } from './survives.ts';
