export { ClusterCheckers } from './checkers/cluster-checkers.ts';
export { FleetCheckers } from './checkers/fleet-checkers.ts';
