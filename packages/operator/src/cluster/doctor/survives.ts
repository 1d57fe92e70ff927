import { clusterSurvives, type Survival } from '@drover/core/survival';
import type { ClusterFacts } from './facts.ts';

/**
 * Which single losses a cluster survives by the sizes of its groups. The group of the masters has one more while they are spread; of several tiers
 * the one with the fewest nodes counts. Pure.
 */
export function survivalOf({ groups, masterGroup }: Pick<ClusterFacts, 'groups' | 'masterGroup'>): Survival {
  const masters = groups.find(({ name }) => name === masterGroup);
  const data = groups.filter(({ name, desired }) => name !== masterGroup && desired > 0);
  return clusterSurvives({
    masters: masters?.minSize ?? 0,
    dataNodes: data.length === 0 ? 0 : Math.min(...data.map(({ desired }) => desired)),
    zones: data[0]?.zones.length ?? 0,
  });
}
