import type { Seen, Step } from '../play.ts';

const template = JSON.stringify({
  Resources: {
    Vpc: { Type: 'AWS::EC2::VPC', Properties: { CidrBlock: '10.0.0.0/16' } },
    Targets: {
      Type: 'AWS::ElasticLoadBalancingV2::TargetGroup',
      Properties: { Port: 9200, Protocol: 'HTTP', TargetType: 'ip', VpcId: { Ref: 'Vpc' } },
    },
  },
  Outputs: { Targets: { Value: { Ref: 'Targets' } } },
});
const inGroup =
  (...ids: readonly string[]) =>
  ({ DescribeStacks }: Seen) => ({
    TargetGroupArn: DescribeStacks.Stacks[0].Outputs[0].OutputValue,
    ...(ids.length === 0 ? {} : { Targets: ids.map((Id) => ({ Id })) }),
  });

export const targets: readonly Step[] = [
  ['cloudformation:CreateStack', { StackName: 'site', TemplateBody: template }],
  600_000,
  ['cloudformation:DescribeStacks', { StackName: 'site' }],
  ['elasticloadbalancing:RegisterTargets', inGroup('10.0.1.1', '10.0.1.2')],
  ['elasticloadbalancing:DescribeTargetHealth', inGroup('10.0.1.1', '10.0.1.3')],
  ['elasticloadbalancing:DeregisterTargets', inGroup('10.0.1.1')],
  ['elasticloadbalancing:DescribeTargetHealth', inGroup()],
];
