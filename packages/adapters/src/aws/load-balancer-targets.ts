import type { LoadBalancerTargets } from '@drover/search-cluster/ports';
import type { AwsCalls } from './calls/calls.ts';
import { explained } from './calls/errors.ts';
import { describeGroups } from './group-instances.ts';

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
