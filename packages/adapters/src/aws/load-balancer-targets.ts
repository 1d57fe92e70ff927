import type { LoadBalancerTargets } from '@drover/search-cluster/ports';
import type { AwsCalls } from './calls/calls.ts';
import { explained } from './calls/errors.ts';
import { describeGroups } from './group-instances.ts';
import { groupMembership } from './instance/own-instance.ts';

/** The targets of the load balancers that Auto Scaling groups are attached to. */
export function loadBalancerTargets(aws: Pick<AwsCalls, 'autoscaling' | 'elasticloadbalancing'>): LoadBalancerTargets {
  const balancing = explained(aws, 'elasticloadbalancing');
  return {
    ofGroups: async (groupNames) => {
      const groups = (await describeGroups(aws, groupNames)).flatMap(({ AutoScalingGroupName, TargetGroupARNs = [] }) =>
        TargetGroupARNs.map((arn) => ({ groupName: AutoScalingGroupName!, arn })),
      );
      return await Promise.all(groups.map(async (group) => ({ ...group, targets: await targetsOf(group.arn) })));
    },
    register: async (TargetGroupArn, instanceId) =>
      void (await balancing('RegisterTargets', { TargetGroupArn, Targets: [{ Id: instanceId }] })),
    deregister: async (TargetGroupArn, instanceId) =>
      void (await balancing('DeregisterTargets', { TargetGroupArn, Targets: [{ Id: instanceId }] })),
  };

  async function targetsOf(TargetGroupArn: string) {
    const { TargetHealthDescriptions = [] } = await balancing('DescribeTargetHealth', { TargetGroupArn });
    return TargetHealthDescriptions.map(({ Target, TargetHealth }) => ({
      instanceId: Target!.Id!,
      state: TargetHealth?.State ?? 'unknown',
    }));
  }
}

/** Whether the group of an instance is attached to a load balancer. */
export async function isBalanced(aws: Pick<AwsCalls, 'autoscaling'>, instanceId: string): Promise<boolean> {
  const member = await groupMembership(aws).memberOf(instanceId);
  const groups = member === undefined ? [] : await describeGroups(aws, [member.groupName]);
  return groups.some(({ TargetGroupARNs = [] }) => TargetGroupARNs.length > 0);
}
