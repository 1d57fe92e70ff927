import { hostNames } from '@drover/core/names/search-cluster';
import { addressDefaults } from '../inputs/shared-defaults.ts';
import type { SearchUiInputs } from './props.ts';

/** How messages call the construct. */
export const title = 'the web UI';

/** The settings of the web UI: its inputs with every default filled in. */
export type SearchUiSettings = ReturnType<typeof withDefaults>;

/** Fills in every default. */
export function withDefaults(inputs: SearchUiInputs) {
  const { taskCpu = 1024 } = inputs;
  const hostName = `${hostNames.ui}.${inputs.zoneName}`;
  return {
    ...inputs,
    ...addressDefaults(inputs),
    kibanaVersion: inputs.kibanaVersion ?? inputs.elasticsearchVersion,
    /** Credentials of the tasks, by the variable that Kibana's image reads. */
    login:
      inputs.kibanaTokenSecretId === undefined
        ? { variable: 'ELASTICSEARCH_PASSWORD', secretId: inputs.kibanaSystemSecretId, isToken: false }
        : { variable: 'ELASTICSEARCH_SERVICEACCOUNTTOKEN', secretId: inputs.kibanaTokenSecretId, isToken: true },
    kibanaImage: inputs.kibanaImage ?? 'docker.elastic.co/kibana/kibana',
    taskCount: inputs.taskCount ?? 2,
    taskCpu,
    taskMemory: inputs.taskMemory ?? Math.max(2048, 2 * taskCpu),
    architecture: inputs.architecture ?? 'x86_64',
    hostName,
    url: `https://${hostName}`,
  };
}
