import type { FleetState, InstanceState, TypeState } from '@drover/observation/api';

/** A type of the fleet with what it has to do. */
export interface TypeFigures extends TypeState {
  readonly running: number;
  /** Instances of the group, without its warm pool. */
  readonly hosts: number;
  /** No further instance may be launched. */
  readonly full: boolean;
}

/** None: the fleet has no types. */
export const typeFigures = ({ types = [], instances }: Pick<FleetState, 'types' | 'instances'>): TypeFigures[] =>
  types.map((type) => ({
    ...type,
    running: type.demand.assigned - type.demand.waiting,
    hosts: instances.filter((one) => one.type === type.name && !one.warmPool).length,
    full: type.maxSize > 0 && type.desiredCapacity >= type.maxSize,
  }));

/** Instances by type, in the order of the types; those without instances are left out. Undefined: the fleet has no types. */
export function byType(
  instances: readonly InstanceState[],
  types: FleetState['types'],
): readonly { readonly name: string; readonly instances: readonly InstanceState[] }[] | undefined {
  return types
    ?.map(({ name }) => ({ name, instances: instances.filter(({ type }) => type === name) }))
    .filter((one) => one.instances.length > 0);
}
