export { InputError, type InputProblem } from './inputs/check-inputs.ts';
export type { SettingValue } from './inputs/fields.ts';
export type {
  OrResources,
  RunnerFleetResources,
  SearchClusterResources,
  SearchUiResources,
} from './inputs/resources.ts';
export type { ExtraFile, ExtraRepo } from './inputs/shared-props.ts';
export { stackOutputName } from './outputs.ts';
export type { FunctionsBySuffix } from './runner-fleet/functions.ts';
export { runnerFleetOutputs } from './runner-fleet/outputs.ts';
export type { RunnerFleetProps } from './runner-fleet/props.ts';
export { RunnerFleet } from './runner-fleet/runner-fleet.ts';
export { searchClusterOutputs } from './search-cluster/outputs.ts';
export type { SearchClusterProps } from './search-cluster/props.ts';
export { SearchCluster } from './search-cluster/search-cluster.ts';
export { searchUiOutputs } from './search-ui/outputs.ts';
export type { SearchUiProps } from './search-ui/props.ts';
export { SearchUi } from './search-ui/search-ui.ts';
