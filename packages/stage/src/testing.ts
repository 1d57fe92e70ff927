export { ClusterStage } from './cluster/cluster-stage.ts';
export { type FleetLimits, FleetStage, type GroupLimits, stageInputs } from './fleet/fleet-stage.ts';
