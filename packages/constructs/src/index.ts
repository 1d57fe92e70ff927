export { InputError } from './inputs/check-inputs.ts';
export type { RunnerFleetProps } from './runner-fleet/inputs.ts';
export { RunnerFleet } from './runner-fleet/runner-fleet.ts';
