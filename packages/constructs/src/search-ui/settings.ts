import { hostNames } from '@drover/core/names/search-cluster';
import { InputError, propWords, type Words } from '../inputs/check-inputs.ts';
import { contradictions } from './contradictions.ts';
import type { SearchUiProps } from './inputs.ts';

/** The web UI's inputs with every default filled in. */
export interface SearchUiSettings extends Required<Pick<SearchUiProps, AlwaysSet>> {
  readonly inputs: SearchUiProps;
  readonly hostName: string;
  readonly url: string;
}

type AlwaysSet =
  | 'vpcId'
  | 'subnetIds'
  | 'zoneId'
  | 'zoneName'
  | 'loadBalancerScheme'
  | 'loadBalancerSubnetIds'
  | 'allowedCidrBlocks'
  | 'elasticsearchUrl'
  | 'elasticsearchVersion'
  | 'kibanaSystemSecretId'
  | 'kibanaVersion'
  | 'kibanaImage'
  | 'taskCount'
  | 'taskCpu'
  | 'taskMemory'
  | 'architecture';

/** How messages call this module. */
export const moduleName = 'the web UI';

/** Fills in the defaults and stops with every contradiction between inputs. */
export function settle(inputs: SearchUiProps, words: Words = propWords(moduleName)): SearchUiSettings {
  const settings = withDefaults(inputs);
  const problems = contradictions(settings, words.name);
  if (problems.length > 0) throw new InputError(words.module, problems);
  return settings;
}

function withDefaults(inputs: SearchUiProps): SearchUiSettings {
  const { zoneName, subnetIds, elasticsearchVersion, taskCpu = 1024 } = inputs;
  const given = <T>(list: readonly T[] | undefined, otherwise: readonly T[]) => (list?.length ? list : otherwise);
  const hostName = `${hostNames.ui}.${zoneName}`;
  return {
    inputs,
    vpcId: inputs.vpcId,
    subnetIds,
    zoneId: inputs.zoneId,
    zoneName,
    loadBalancerScheme: inputs.loadBalancerScheme ?? 'internal',
    loadBalancerSubnetIds: given(inputs.loadBalancerSubnetIds, subnetIds),
    allowedCidrBlocks: given(inputs.allowedCidrBlocks, [inputs.vpcCidrBlock ?? '']),
    elasticsearchUrl: inputs.elasticsearchUrl,
    elasticsearchVersion,
    kibanaSystemSecretId: inputs.kibanaSystemSecretId,
    kibanaVersion: inputs.kibanaVersion ?? elasticsearchVersion,
    kibanaImage: inputs.kibanaImage ?? 'docker.elastic.co/kibana/kibana',
    taskCount: inputs.taskCount ?? 2,
    taskCpu,
    taskMemory: inputs.taskMemory ?? Math.max(2048, 2 * taskCpu),
    architecture: inputs.architecture ?? 'x86_64',
    hostName,
    url: `https://${hostName}`,
  };
}
