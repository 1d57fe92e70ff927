export { FleetStage } from '@drover/stage/fleet';
