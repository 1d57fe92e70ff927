/** The tables of inputs and outputs, for documents that are written from them. */
export { camelCase, type Field, type Fields } from './inputs/fields.ts';
export { type Outputs, stackOutputName } from './outputs.ts';
export { names as runnerFleetNames } from './props/runner-fleet.ts';
export { names as searchClusterNames } from './props/search-cluster.ts';
export { names as searchUiNames } from './props/search-ui.ts';
export { runnerFleetFields, runnerTypeFields } from './runner-fleet/inputs.ts';
export { runnerFleetOutputs } from './runner-fleet/outputs.ts';
export { inheritedInputs } from './runner-fleet/types/type-settings.ts';
export { nodeGroupFields } from './search-cluster/groups/group-settings.ts';
export { searchClusterFields } from './search-cluster/inputs.ts';
export { searchClusterOutputs } from './search-cluster/outputs.ts';
export { defaultElasticsearchVersion } from './search-cluster/settings.ts';
export { searchUiFields } from './search-ui/inputs.ts';
export { searchUiOutputs } from './search-ui/outputs.ts';
