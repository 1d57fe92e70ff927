/** Parameters that several of the released templates have, and what is replaced by a parameter after synthesis. */
import { Network, Zone } from '@drover/constructs';
import { CfnParameter, type Stack } from 'aws-cdk-lib';
import { CfnLaunchTemplate } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import type { Parameters } from './parameters.ts';

export const architectures = ['x86_64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

export const groups = {
  names: 'Names',
  github: 'GitHub',
  network: 'Network',
  size: 'Machines',
  cluster: 'Cluster',
  release: 'Files of the release',
} as const;

/** An ARN, or nothing. */
export const optionalSecret = {
  default: '',
  allowedPattern: '(arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:.+)?',
  constraintDescription: 'give the ARN of a secret, arn:aws:secretsmanager:…:secret:…',
};

export const instanceTypeShape = {
  allowedPattern: '[a-z0-9-]+[.][a-z0-9-]+',
  constraintDescription: 'give an instance type, e.g. m6i.large',
};

export const environmentOf = (parameters: Parameters): string =>
  parameters.add(groups.names, 'Environment', {
    label: 'Environment',
    description: 'Name of the environment, which instances are tagged with and Puppet knows',
    default: 'production',
    allowedPattern: '[A-Za-z0-9_-]{1,32}',
    constraintDescription: 'letters, digits, - and _, at most 32',
  });

export const networkOf = (parameters: Parameters): Network =>
  Network.fromIds({
    vpcId: parameters.add(groups.network, 'VpcId', {
      label: 'VPC',
      type: 'AWS::EC2::VPC::Id',
      description: 'The VPC that the subnets belong to',
    }),
    subnetIds: ['A', 'B', 'C'].map((letter) =>
      parameters.add(groups.network, `Subnet${letter}`, {
        label: `Subnet ${letter}`,
        type: 'AWS::EC2::Subnet::Id',
        description: 'A private subnet with NAT, each in another zone',
      }),
    ),
  });

/** The addresses of a cluster or of its web UI. */
export const addressesOf = (parameters: Parameters) => ({
  zone: Zone.fromIds(
    parameters.add(groups.network, 'ZoneId', {
      label: 'Hosted zone',
      type: 'AWS::Route53::HostedZone::Id',
      description: 'Hosted zone of the addresses',
    }),
    parameters.add(groups.network, 'ZoneName', {
      label: 'Domain of the hosted zone',
      description: 'Domain name of the hosted zone, without a dot at its end',
      allowedPattern: '([a-z0-9-]+[.])+[a-z]{2,63}',
      constraintDescription: 'give a domain in lower case without a dot at its end, e.g. search.example.com',
    }),
  ),
  vpcCidrBlock: parameters.add(groups.network, 'VpcCidrBlock', {
    label: 'Address range of the VPC',
    description: 'Address range that has access, e.g. 10.0.0.0/16',
    allowedPattern: '[0-9]{1,3}([.][0-9]{1,3}){3}/[0-9]{1,2}',
    constraintDescription: 'give an address range, e.g. 10.0.0.0/16',
  }),
});

/** Names what the synthesis added by itself: the bucket of the assets, and the image, where a template has one. */
export function showFiles(stack: Stack, parameters: Parameters): void {
  parameters.show(groups.release, 'AssetBucket', 'Bucket with the files of assets/');
  const image = every(stack, CfnParameter).find(({ type }) => type.startsWith('AWS::SSM::Parameter::Value'));
  if (image === undefined) return;
  image.overrideLogicalId('ImageParameter');
  image.description = 'Public parameter that names the image; it is read at each deployment';
  parameters.show(groups.size, 'ImageParameter', 'Parameter of the image');
}

export const every = <T extends IConstruct>(scope: IConstruct, kind: abstract new (...args: never[]) => T): T[] =>
  scope.node.findAll().filter((one): one is T => one instanceof kind);

export function setInstanceType(scope: IConstruct, type: string): void {
  for (const template of every(scope, CfnLaunchTemplate))
    template.addPropertyOverride('LaunchTemplateData.InstanceType', type);
}
