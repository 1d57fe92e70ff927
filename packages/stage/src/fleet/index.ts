export { writtenFiles } from '../written-files.ts';
export { DeployedFleet, type DeployedFleetOptions, platformTokenSecret } from './deployed-fleet.ts';
export { directCalls } from './direct-calls.ts';
export { wholeGroup, wholeGroupName } from './groups/whole-group.ts';
export type { ProgramAws } from './program-services.ts';
export { QuickReplay } from './quick-replay/quick-replay.ts';
export type { ReleasedRunner } from './released-runner.ts';
