export { ClusterStage } from './cluster/cluster-stage.ts';
export { type FleetLimits, FleetStage, stageInputs } from './fleet/fleet-stage.ts';
