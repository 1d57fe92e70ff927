import { hostNames } from '@drover/core/names/search-cluster';
import type { InputProblem, Words } from '../inputs/check-inputs.ts';
import { missingHieraPackage, unclearReach, wrongProcessor } from '../inputs/shared-contradictions.ts';
import type { SearchClusterSettings } from './settings.ts';

type Name = Words['name'];

/** What no single input is wrong with, but all of them together are. */
export function contradictions(settings: SearchClusterSettings, name: Name): InputProblem[] {
  const { architecture, nodes } = settings;
  return [
    ...takenAddress(settings, name),
    ...unclearReach(settings.inputs, name),
    ...unclearMonitoring(settings, name),
    ...wrongProcessor(
      { architecture, instanceTypes: Object.values(nodes).map(({ instanceType }) => instanceType) },
      name,
    ),
    ...missingHieraPackage(settings, name),
  ];
}

/** The web UI has this address in every zone. */
function takenAddress({ clusterName }: SearchClusterSettings, name: Name): InputProblem[] {
  if (clusterName !== hostNames.ui) return [];
  return [
    {
      key: name('cluster_name'),
      problem: `${clusterName} is the address of the web UI`,
      remedy: 'Choose another name',
    },
  ];
}

function unclearMonitoring({ inputs }: SearchClusterSettings, name: Name): InputProblem[] {
  if (inputs.monitoringCidrBlock !== undefined || inputs.vpcCidrBlock !== undefined) return [];
  return [
    {
      key: name('monitoring_cidr_block'),
      problem: 'it is missing',
      remedy: `Say from where the exporters are scraped, or give ${name('vpc_cidr_block')}, which is the default`,
    },
  ];
}
