import type { Random } from '@drover/core';
import type { FleetProps } from '@drover/stage/fleet-template';

export type DrawnTypes = NonNullable<FleetProps['types']>;
export type DrawnType = DrawnTypes[string];

/** Every name that a type may have on a day. */
export const typeNames = ['small', 'large', 'arm', 'spot', 'docker', 'deploy', 'bench-2'] as const;

const machines: readonly DrawnType[] = [
  { instanceType: 't3a.medium' },
  { instanceType: 't3a.2xlarge' },
  { architecture: 'arm64', instanceType: 't4g.medium' },
  { instanceTypes: ['t3a.medium', 't3.medium'], onDemandBaseCapacity: 0 },
  { instanceTypes: ['t3a.large', 't3.large'], onDemandBaseCapacity: 1 },
];

export const drawType = (name: string, random: Random): DrawnType => ({
  ...random.pick(machines),
  asgMinSize: random.pick([0, 0, 0, 1]),
  asgMaxSize: random.int(2, 8),
  idleRunnersTargetCount: random.pick([0, 0, 1, 2]),
  ...(random.chance(0.5) ? { extraLabels: [`${name}-jobs`] } : {}),
});

/** Two to six of them. */
export function drawTypes(random: Random): DrawnTypes {
  const names = [...typeNames];
  const count = random.int(2, 6);
  return Object.fromEntries(
    Array.from({ length: count }, () => {
      const [name = 'small'] = names.splice(random.int(0, names.length - 1), 1);
      return [name, drawType(name, random)];
    }),
  );
}
