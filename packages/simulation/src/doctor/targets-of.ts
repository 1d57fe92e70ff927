import type { DeployedCluster } from '@drover/stage/cluster';

/** The target group behind an Auto Scaling group, and the states of its targets by their instances. */
export async function targetsOf(deployed: DeployedCluster, groupName: string) {
  const { AutoScalingGroups } = (await deployed.aws('autoscaling', 'DescribeAutoScalingGroups', {
    AutoScalingGroupNames: [groupName],
  })) as { AutoScalingGroups: readonly { readonly TargetGroupARNs: readonly string[] }[] };
  const TargetGroupArn = AutoScalingGroups[0]!.TargetGroupARNs[0]!;
  const { TargetHealthDescriptions } = (await deployed.aws('elasticloadbalancing', 'DescribeTargetHealth', {
    TargetGroupArn,
  })) as { TargetHealthDescriptions: readonly { Target: { Id: string }; TargetHealth: { State: string } }[] };
  return {
    arn: TargetGroupArn,
    states: Object.fromEntries(TargetHealthDescriptions.map((one) => [one.Target.Id, one.TargetHealth.State])),
  };
}
