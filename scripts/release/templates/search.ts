import { KibanaCredentials, SearchCluster, SearchUi } from '@drover/constructs';
import { defaultElasticsearchVersion } from '@drover/constructs/reference';
import { clusterNameMaxLength } from '@drover/core/names/search-cluster';
import { moduleVersion } from '@drover/core/names/version';
import { Aws, type Stack } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnService } from 'aws-cdk-lib/aws-ecs';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { Parameters } from './parameters.ts';
import {
  type Architecture,
  addressesOf,
  environmentOf,
  every,
  groups,
  instanceTypeShape,
  networkOf,
  setInstanceType,
  showFiles,
} from './shared.ts';

/** A cluster whose name is a parameter: it is part of its addresses, so it is in lower case, which a stack's name need not be. */
export function searchCluster(stack: Stack, architecture: Architecture): void {
  const parameters = new Parameters(stack);
  const arm = architecture === 'arm64';
  const clusterName = parameters.add(groups.names, 'ClusterName', {
    label: 'Name of the cluster',
    description: 'Name of the cluster, which no other one of the account and region has; its addresses begin with it',
    allowedPattern: `[a-z]([a-z0-9-]{0,${clusterNameMaxLength - 2}}[a-z0-9])?`,
    constraintDescription: `lower-case letters, digits and -, beginning with a letter, at most ${clusterNameMaxLength}`,
  });
  const cluster = new SearchCluster(stack, 'SearchCluster', {
    clusterName,
    environment: environmentOf(parameters),
    architecture,
    network: networkOf(parameters),
    ...addressesOf(parameters),
  });
  const type = (name: string, label: string, defaultValue: string) =>
    parameters.add(groups.size, name, {
      label,
      description: `${label} (${architecture})`,
      default: defaultValue,
      ...instanceTypeShape,
    });
  const types = {
    Masters: type('InstanceTypeMaster', 'Instance type of the master nodes', arm ? 't4g.medium' : 't3a.medium'),
    DataNodes: type('InstanceTypeData', 'Instance type of the data nodes', arm ? 'm7g.large' : 'm6i.large'),
  };
  for (const [id, one] of Object.entries(types)) setInstanceType(cluster.node.findChild(id), one);
  showFiles(stack, parameters);
  parameters.describe(`Drover: a search cluster (${architecture})`);
}

/** For the cluster of the template beside it, or any other of the same version. */
export function searchUi(stack: Stack): void {
  const parameters = new Parameters(stack);
  const ui = new SearchUi(stack, 'SearchUi', {
    environment: environmentOf(parameters),
    version: moduleVersion,
    network: networkOf(parameters),
    ...addressesOf(parameters),
    elasticsearchUrl: `https://${parameters.add(groups.cluster, 'ElasticsearchHost', {
      label: 'Address of the cluster',
      description: 'Output ClusterMasterUrl of the search cluster, without https://',
      allowedPattern: '[a-z0-9.-]+',
      constraintDescription: 'give the output ClusterMasterUrl without https://',
    })}`,
    elasticsearchVersion: defaultElasticsearchVersion,
    credentials: KibanaCredentials.fromSecretIds(
      parameters.add(groups.cluster, 'KibanaSystemSecretId', {
        label: 'Secret of kibana_system',
        description: 'Output KibanaSystemSecretId of the search cluster',
      }),
    ),
  });
  const [service] = every(ui, CfnService);
  const count = parameters.add(groups.size, 'TaskCount', {
    label: 'Number of tasks',
    type: 'Number',
    description: 'How many tasks serve Kibana',
    default: 2,
    minValue: 1,
  });
  service!.addPropertyOverride('DesiredCount', count);
  nameFunctionByStack(ui);
  showFiles(stack, parameters);
  parameters.describe('Drover: Kibana for a search cluster');
}

/** The construct names its function by its place in the app, which is the same in each stack of a template. */
function nameFunctionByStack(ui: SearchUi): void {
  const [fn] = every(ui, CfnFunction).filter(({ functionName }) => functionName !== undefined);
  const [old, name] = [fn!.functionName!, `${Aws.STACK_NAME}-redeployment`];
  fn!.functionName = name;
  for (const logs of every(ui, CfnLogGroup))
    if (logs.logGroupName?.endsWith(`/${old}`)) logs.logGroupName = `/aws/lambda/${name}`;
  for (const alarm of every(ui, CfnAlarm)) {
    alarm.alarmName = alarm.alarmName?.replace(old, name);
    const [dimension] = Array.isArray(alarm.dimensions) ? alarm.dimensions : [];
    if (dimension !== undefined && 'value' in dimension && dimension.value === old)
      alarm.addPropertyOverride('Dimensions.0.Value', name);
  }
}
