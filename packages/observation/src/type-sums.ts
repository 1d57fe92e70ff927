import type { FleetState, TypeState } from './api.ts';

type Sums = Required<Pick<FleetState, 'minSize' | 'maxSize' | 'desiredCapacity' | 'idleTarget' | 'demand'>>;

/** The sizes and the demand of all types together. */
export function typeSums(types: readonly TypeState[]): Sums {
  const sum = (figure: (type: TypeState) => number) => types.reduce((all, type) => all + figure(type), 0);
  return {
    minSize: sum(({ minSize }) => minSize),
    maxSize: sum(({ maxSize }) => maxSize),
    desiredCapacity: sum(({ desiredCapacity }) => desiredCapacity),
    idleTarget: sum(({ idleTarget }) => idleTarget),
    demand: { assigned: sum(({ demand }) => demand.assigned), waiting: sum(({ demand }) => demand.waiting) },
  };
}
