import { hostNames } from '@drover/core/names/search-cluster';
import type { InputProblem, NameOf } from '../inputs/check-inputs.ts';
import { missingHieraPackage, unclearReach, wrongProcessor } from '../inputs/shared-contradictions.ts';
import type { SearchClusterProps } from './props.ts';
import type { SearchClusterSettings } from './settings.ts';

/** Inputs that are valid one by one, but not together. */
export function contradictions(
  inputs: SearchClusterProps,
  settings: SearchClusterSettings,
  name: NameOf,
): InputProblem[] {
  const { architecture, nodes } = settings;
  return [
    ...takenAddress(inputs, name),
    ...unclearReach(inputs, name),
    ...unclearMonitoring(inputs, name),
    ...wrongProcessor(
      { architecture, instanceTypes: Object.values(nodes).map(({ instanceType }) => instanceType) },
      name,
    ),
    ...missingHieraPackage(settings, name),
  ];
}

/** The web UI has this address in every zone. */
function takenAddress({ clusterName }: SearchClusterProps, name: NameOf): InputProblem[] {
  if (clusterName !== hostNames.ui) return [];
  return [
    {
      key: name('cluster_name'),
      problem: `${clusterName} is the address of the web UI`,
      remedy: 'Choose another name',
    },
  ];
}

function unclearMonitoring({ monitoringCidrBlock, vpcCidrBlock }: SearchClusterProps, name: NameOf): InputProblem[] {
  if (monitoringCidrBlock !== undefined || vpcCidrBlock !== undefined) return [];
  return [
    {
      key: name('monitoring_cidr_block'),
      problem: 'it is missing',
      remedy: `Say from where the exporters are scraped, or give ${name('vpc_cidr_block')}, which is the default`,
    },
  ];
}
