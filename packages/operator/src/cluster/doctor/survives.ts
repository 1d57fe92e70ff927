import { clusterSurvives, type Survival } from '@drover/core/survival';
import type { ClusterFacts } from './facts.ts';

/** Which single losses a cluster survives by the sizes of its groups. The group of the masters has one more while they are spread. Pure. */
export function survivalOf({ groups, masterGroup }: Pick<ClusterFacts, 'groups' | 'masterGroup'>): Survival {
  const masters = groups.find(({ name }) => name === masterGroup);
  const data = groups.find(({ name }) => name !== masterGroup);
  return clusterSurvives({
    masters: masters?.minSize ?? 0,
    dataNodes: data?.desired ?? 0,
    zones: data?.zones.length ?? 0,
  });
}
