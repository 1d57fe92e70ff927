import { TerminalError } from '@drover/core';
import type { FleetInputs } from '@drover/observation/observed-inputs';
import { parse } from 'yaml';

/** Another fleet that is made of a configuration. */
export interface Variant {
  /** The suffix of the configuration's name. */
  readonly suffix: string;
  change(given: FleetInputs): FleetInputs;
}

export const asGiven: Variant = { suffix: '', change: (given) => given };

const without = (given: FleetInputs, ...keys: readonly string[]): FleetInputs =>
  Object.fromEntries(Object.entries(given).filter(([key]) => !keys.includes(key)));

/** Of a fleet in jobs mode, where the target may be 0. */
const leastIdle = (given: FleetInputs) => Math.max(1, Number(given.idle_runners_target_count ?? 1));

/** Both modes, jobs mode also with the construct's own warm pool. */
export const modes: readonly Variant[] = [
  {
    suffix: ', idle mode',
    change: (given) => ({ ...given, scaling_mode: 'idle', idle_runners_target_count: leastIdle(given) }),
  },
  {
    suffix: ', jobs mode',
    change: (given) => ({
      ...without(given, 'scale_up_limit', 'warm_pool_min_size'),
      scaling_mode: 'jobs',
      warm_pool_max_size: 0,
    }),
  },
  {
    suffix: ', jobs mode with warm pool',
    change: (given) => ({
      ...without(given, 'scale_up_limit'),
      scaling_mode: 'jobs',
      warm_pool_max_size: Number(given.warm_pool_max_size) || given.asg_max_size,
    }),
  },
];

/** A fixed number of runners. */
export const fixed = (count: number): Variant => ({
  suffix: `, ${count} at all times`,
  change: (given) => ({
    ...without(given, 'idle_target_schedules', 'scale_up_limit', 'warm_pool_min_size'),
    scaling_mode: 'idle',
    asg_min_size: count,
    asg_max_size: count,
    idle_runners_target_count: 1,
    warm_pool_max_size: 0,
  }),
});

/** Every combination of the values of inputs, each `KEY=VALUE,VALUE…`. */
export function sweep(given: readonly string[]): readonly Variant[] {
  return given.map(axis).reduce<readonly Variant[]>(
    (combined, one) =>
      combined.flatMap((before) =>
        one.map(({ suffix, change }) => ({
          suffix: `${before.suffix}${suffix}`,
          change: (inputs: FleetInputs) => change(before.change(inputs)),
        })),
      ),
    [asGiven],
  );
}

function axis(text: string): readonly Variant[] {
  const [, key = '', values = ''] = /^([a-z_]+)=(.+)$/.exec(text) ?? [];
  if (key === '')
    throw new TerminalError(
      `--sweep ${text} is not allowed; give an input and its values, e.g. idle_runners_target_count=0,1,2`,
    );
  return values
    .split(',')
    .map((value) => ({ suffix: `, ${key}=${value}`, change: (inputs) => ({ ...inputs, [key]: parse(value) }) }));
}
