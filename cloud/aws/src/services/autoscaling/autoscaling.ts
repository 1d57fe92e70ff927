import type { AutoScalingNeighbour, AwsNeighbours } from '../../account/neighbours.ts';
import type { AwsService, Operations, ResourceProviders } from '../../account/service.ts';
import { GroupMetrics } from './groups/metrics.ts';
import { reconcileGroup } from './groups/reconcile.ts';
import { onImpaired, onInstanceState, onSpotNotice, onTargetHealth } from './health/health.ts';
import { onRebalanceRecommendation } from './health/replace.ts';
import { targetState } from './lifecycle-states.ts';
import { type Group, poolTarget, type Refresh } from './model.ts';
import { autoScalingOperations } from './operations/index.ts';
import { refreshProgress } from './refresh/refresh.ts';
import { autoScalingResources } from './resources/index.ts';
import { executeFromAlarm } from './scaling/policies.ts';
import { Scaler } from './state.ts';

/** Amazon EC2 Auto Scaling: groups, their instances' lifecycle, hooks, policies, warm pools and refreshes. */
export class AutoScaling implements AwsService, AutoScalingNeighbour {
  readonly operations: Operations;
  readonly resources: ResourceProviders;
  readonly scaler: Scaler;

  constructor(aws: AwsNeighbours) {
    const scaler = new Scaler(aws);
    this.scaler = scaler;
    scaler.onWake((group) => reconcileGroup(scaler, group));
    aws.ec2.onInstanceState((instance) => onInstanceState(scaler, instance));
    aws.ec2.onImpaired((instance, impaired) => impaired && onImpaired(scaler, instance));
    aws.ec2.onSpotNotice((instance) => onSpotNotice(scaler, instance));
    aws.ec2.onRebalanceRecommendation((instance) => onRebalanceRecommendation(scaler, instance));
    const metrics = new GroupMetrics(scaler);
    this.operations = autoScalingOperations(scaler);
    this.resources = autoScalingResources(scaler, metrics);
  }

  executePolicyFromAlarm(policyArn: string, alarm: { name: string; metricValue: number; threshold: number }): void {
    executeFromAlarm(this.scaler, policyArn, alarm);
  }

  reportTargetHealth(instanceId: string, healthy: boolean): void {
    onTargetHealth(this.scaler, instanceId, healthy);
  }

  /** How much of a refresh is done, as DescribeInstanceRefreshes says it. */
  refreshPercentage(group: Group, refresh: Refresh): number {
    return (refresh.progress ?? refreshProgress(this.scaler, group, refresh)).percentage;
  }

  targetLifecycleState(instanceId: string): string | undefined {
    const member = this.scaler.members.get(instanceId);
    return member === undefined ? undefined : targetState(member.state, poolTarget(member.group));
  }
}
