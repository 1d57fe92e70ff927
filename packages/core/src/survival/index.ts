export { dangersOf } from './standing.ts';
export { clusterSurvives, type Survival } from './survives.ts';
