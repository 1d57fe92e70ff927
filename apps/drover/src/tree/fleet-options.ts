import type { OptionSpec } from '@drover/command-tree';

export const stack = {
  name: 'stack',
  value: 'name',
  env: 'DROVER_FLEET_STACK',
  default: 'runner-fleet',
  summary: 'stack of the fleet',
} as const satisfies OptionSpec;

export const type = {
  name: 'type',
  value: 'name',
  defaultText: 'the default type',
  summary: 'a type of the fleet',
} as const satisfies OptionSpec;
