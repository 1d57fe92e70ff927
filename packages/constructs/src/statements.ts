import { Aws } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** The ARN of something in this account and region. */
export const local = (service: string, resource: string): string =>
  `arn:${Aws.PARTITION}:${service}:${Aws.REGION}:${Aws.ACCOUNT_ID}:${resource}`;

export const instanceArn = (id: string): string => local('ec2', `instance/${id}`);

export const volumeArn = (id: string): string => local('ec2', `volume/${id}`);

/** A group's ARN; its uuid is not known before it exists. */
export const groupArn = (groupName: string): string =>
  local('autoscaling', `autoScalingGroup:*:autoScalingGroupName/${groupName}`);

export const allow = (
  actions: string[],
  resources: string[],
  conditions?: Record<string, Record<string, string | string[]>>,
): PolicyStatement => new PolicyStatement({ actions, resources, ...(conditions === undefined ? {} : { conditions }) });

/**
 * Permissions that the remote agent needs to take commands, as AmazonSSMManagedInstanceCore lists it (AWS Managed
 * Policy Reference Guide), without that policy's right to read every parameter of the account.
 */
export function remoteAgentStatements(): PolicyStatement[] {
  const channels = ['CreateControlChannel', 'CreateDataChannel', 'OpenControlChannel', 'OpenDataChannel'];
  const messages = ['AcknowledgeMessage', 'DeleteMessage', 'FailMessage', 'GetEndpoint', 'GetMessages', 'SendReply'];
  return [
    allow(['ssm:UpdateInstanceInformation'], [instanceArn('*')]),
    allow([...channels.map((name) => `ssmmessages:${name}`), ...messages.map((name) => `ec2messages:${name}`)], ['*']),
  ];
}

/** The name that cdk-nag gives to the finding of a wildcard in a resource. */
export const wildcardFinding = (arn: string): string =>
  `Resource::${arn.replace(Aws.PARTITION, '<AWS::Partition>').replace(Aws.REGION, '<AWS::Region>').replace(Aws.ACCOUNT_ID, '<AWS::AccountId>')}`;

/** The role of instances with these permissions, and managed policies of the user's own. */
export function instanceRole(
  scope: Construct,
  statements: readonly PolicyStatement[],
  policyArns: readonly string[] = [],
) {
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('ec2.amazonaws.com'),
    managedPolicies: policyArns.map((arn, index) => ManagedPolicy.fromManagedPolicyArn(scope, `Extra${index}`, arn)),
  });
  for (const statement of statements) role.addToPolicy(statement);
  return role;
}
