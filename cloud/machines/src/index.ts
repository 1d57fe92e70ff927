export type { Instance, MachineAccount } from './account.ts';
export { Machine } from './machine.ts';
export { Machines } from './machines.ts';
export type {
  BootProgram,
  CommandResult,
  MachineView,
  ProcessContext,
  ProcessView,
  Program,
  ServiceDefinition,
  SpawnOptions,
} from './program.ts';
