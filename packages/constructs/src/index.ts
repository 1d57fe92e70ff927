export { InputError } from './inputs/check-inputs.ts';
export { stackOutputName } from './outputs.ts';
export type { RunnerFleetProps } from './runner-fleet/inputs.ts';
export { runnerFleetOutputs } from './runner-fleet/outputs.ts';
export { RunnerFleet } from './runner-fleet/runner-fleet.ts';
