export { InputError } from './inputs/check-inputs.ts';
export { stackOutputName } from './outputs.ts';
export type { RunnerFleetProps } from './runner-fleet/inputs.ts';
export { runnerFleetOutputs } from './runner-fleet/outputs.ts';
export { RunnerFleet } from './runner-fleet/runner-fleet.ts';
export type { SearchClusterProps } from './search-cluster/inputs.ts';
export { searchClusterOutputs } from './search-cluster/outputs.ts';
export { SearchCluster } from './search-cluster/search-cluster.ts';
