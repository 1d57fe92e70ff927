/** Templates that anyone can deploy without a file of their own: ids and sizes are parameters. */
import {
  GitHubCredentials,
  GitHubLevel,
  KibanaCredentials,
  Network,
  RunnerFleet,
  SearchCluster,
  SearchUi,
  Zone,
} from '@drover/constructs';
import { defaultElasticsearchVersion } from '@drover/constructs/reference';
import { moduleVersion } from '@drover/core/names/version';
import { CfnParameter, type Stack } from 'aws-cdk-lib';
import { CfnAutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import { CfnLaunchTemplate } from 'aws-cdk-lib/aws-ec2';
import { CfnService } from 'aws-cdk-lib/aws-ecs';
import type { IConstruct } from 'constructs';
import { writePlainTemplate } from '../../packages/local/src/synth/plain-template.ts';

type Type = 'AWS::EC2::VPC::Id' | 'AWS::EC2::Subnet::Id' | 'AWS::Route53::HostedZone::Id' | 'String' | 'Number';

const parameter = (stack: Stack, name: string, type: Type, description: string, defaultValue?: string | number) =>
  new CfnParameter(stack, name, {
    type,
    description,
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
  }).valueAsString;

const network = (stack: Stack) => ({
  network: Network.fromIds({
    vpcId: parameter(stack, 'VpcId', 'AWS::EC2::VPC::Id', 'The VPC that the subnets belong to'),
    subnetIds: ['A', 'B', 'C'].map((letter) =>
      parameter(stack, `Subnet${letter}`, 'AWS::EC2::Subnet::Id', 'A private subnet with NAT, each in another zone'),
    ),
  }),
});

function runnerFleet(stack: Stack): void {
  const fleet = new RunnerFleet(stack, 'RunnerFleet', {
    ...network(stack),
    runnerSubnetsPrivate: true,
    environment: 'production',
    level: GitHubLevel.organization(
      parameter(stack, 'PlatformOrg', 'String', 'GitHub organisation that the runners belong to'),
    ),
    credentials: GitHubCredentials.tokenFromArn(
      parameter(
        stack,
        'PlatformTokenSecretArn',
        'String',
        'Secret with a personal access token that has the scope admin:org',
      ),
    ),
    asgMinSize: 3,
    asgMaxSize: 6,
    idleRunnersTargetCount: 1,
  });
  const [group] = every(fleet, CfnAutoScalingGroup);
  group!.minSize = parameter(stack, 'MinSize', 'Number', 'Minimum number of runners', 3);
  group!.maxSize = parameter(stack, 'MaxSize', 'Number', 'Maximum number of runners', 6);
  instanceType(
    fleet,
    parameter(stack, 'InstanceType', 'String', 'Instance type of the runners (x86_64)', 't3a.medium'),
  );
}

const addresses = (stack: Stack) => ({
  zone: Zone.fromIds(
    parameter(stack, 'ZoneId', 'AWS::Route53::HostedZone::Id', 'Hosted zone of the addresses'),
    parameter(stack, 'ZoneName', 'String', 'Domain name of the hosted zone'),
  ),
  vpcCidrBlock: parameter(stack, 'VpcCidrBlock', 'String', 'Address range of the VPC, which has access'),
});

function searchCluster(stack: Stack): void {
  const cluster = new SearchCluster(stack, 'SearchCluster', {
    ...network(stack),
    environment: 'production',
    clusterName: 'search',
    ...addresses(stack),
  });
  const types = {
    Masters: parameter(stack, 'InstanceTypeMaster', 'String', 'Instance type of the master nodes', 't3a.medium'),
    DataNodes: parameter(stack, 'InstanceTypeData', 'String', 'Instance type of the data nodes', 'm6i.large'),
  };
  for (const [id, type] of Object.entries(types)) instanceType(cluster.node.findChild(id), type);
}

/** For the cluster of the template beside it, or any other of the same version. */
function searchUi(stack: Stack): void {
  const ui = new SearchUi(stack, 'SearchUi', {
    ...network(stack),
    environment: 'production',
    version: moduleVersion,
    ...addresses(stack),
    elasticsearchUrl: `https://${parameter(stack, 'ElasticsearchHost', 'String', 'Output ClusterMasterUrl of the search cluster, without https://')}`,
    elasticsearchVersion: defaultElasticsearchVersion,
    credentials: KibanaCredentials.fromSecretIds(
      parameter(stack, 'KibanaSystemSecretId', 'String', 'Output KibanaSystemSecretId of the search cluster'),
    ),
  });
  const [service] = every(ui, CfnService);
  service!.addPropertyOverride('DesiredCount', parameter(stack, 'TaskCount', 'Number', 'Number of tasks', 2));
}

const every = <T extends IConstruct>(scope: IConstruct, kind: abstract new (...args: never[]) => T): T[] =>
  scope.node.findAll().filter((one): one is T => one instanceof kind);

function instanceType(scope: IConstruct, type: string): void {
  for (const template of every(scope, CfnLaunchTemplate))
    template.addPropertyOverride('LaunchTemplateData.InstanceType', type);
}

/** Writes the templates and their assets into a folder. */
export function writeTemplates(outdir: string): void {
  writePlainTemplate(outdir, 'runner-fleet', runnerFleet);
  writePlainTemplate(outdir, 'search-cluster', searchCluster);
  writePlainTemplate(outdir, 'search-ui', searchUi);
}
