export { DeployedFleet, type DeployedFleetOptions, platformTokenSecret } from './deployed-fleet.ts';
