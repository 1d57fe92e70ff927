import type { Step } from '../play.ts';
import { trust } from './identities.ts';

const Ref = (name: string) => ({ Ref: name });
const definition = (Image: string) => ({
  Type: 'AWS::ECS::TaskDefinition',
  Properties: {
    Family: 'ui',
    Cpu: '256',
    Memory: '512',
    NetworkMode: 'awsvpc',
    RequiresCompatibilities: ['FARGATE'],
    ExecutionRoleArn: { 'Fn::GetAtt': ['Execution', 'Arn'] },
    ContainerDefinitions: [{ Name: 'ui', Image }],
  },
});
const template = JSON.stringify({
  Resources: {
    Vpc: { Type: 'AWS::EC2::VPC', Properties: { CidrBlock: '10.0.0.0/16' } },
    Subnet: { Type: 'AWS::EC2::Subnet', Properties: { VpcId: Ref('Vpc'), CidrBlock: '10.0.1.0/24' } },
    Closed: { Type: 'AWS::EC2::SecurityGroup', Properties: { GroupDescription: 'g', VpcId: Ref('Vpc') } },
    Execution: {
      Type: 'AWS::IAM::Role',
      Properties: { AssumeRolePolicyDocument: JSON.parse(trust('ecs-tasks.amazonaws.com')) },
    },
    Cluster: { Type: 'AWS::ECS::Cluster', Properties: { ClusterName: 'ui' } },
    One: definition('registry/ui:1'),
    Service: {
      Type: 'AWS::ECS::Service',
      Properties: {
        ServiceName: 'ui',
        Cluster: Ref('Cluster'),
        TaskDefinition: Ref('One'),
        DesiredCount: 1,
        LaunchType: 'FARGATE',
        NetworkConfiguration: {
          AwsvpcConfiguration: { Subnets: [Ref('Subnet')], SecurityGroups: [{ 'Fn::GetAtt': ['Closed', 'GroupId'] }] },
        },
      },
    },
  },
});
const service = { cluster: 'ui', service: 'ui' };

export const containers: readonly Step[] = [
  ({ aws }) => aws.ecs.registerImage(/ui:/, async () => async () => ({ status: 200, headers: {}, body: '' })),
  ['cloudformation:CreateStack', { StackName: 'ui', TemplateBody: template, Capabilities: ['CAPABILITY_IAM'] }],
  600_000,
  ['ecs:DescribeServices', { cluster: 'ui', services: ['ui'] }],
  ['ecs:UpdateService', { ...service, desiredCount: 2 }],
  ['ecs:UpdateService', { ...service, forceNewDeployment: true }],
  ['ecs:UpdateService', { ...service, taskDefinition: 'none' }],
];
