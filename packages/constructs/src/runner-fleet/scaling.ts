import { alarmName, groupDimension, metricNamespace, metrics } from '@drover/core/names/runner-fleet';
import { CfnScalingPolicy } from 'aws-cdk-lib/aws-autoscaling';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { RunnerFleetSettings } from './settings.ts';

/** Growth of the group when no runner is idle. */
export const growthPercent = 300;

/** Largest number of steps that AWS allows in a policy. */
const mostSteps = 20;

interface Step {
  readonly metricIntervalLowerBound?: number;
  readonly metricIntervalUpperBound?: number;
  readonly scalingAdjustment: number;
}

/**
 * How many runners to add for each shortfall below the target: exact while the steps last, banded above. Bounds are
 * relative to the alarm's threshold, which is the target; below it a lower bound is exclusive and an upper one inclusive
 * (StepAdjustment, EC2 Auto Scaling API reference), so a shortfall of k lies in (-(k + 1), -k].
 */
export function shortfallSteps(target: number): readonly Step[] {
  const width = Math.max(1, Math.ceil(target / mostSteps));
  const count = Math.ceil(target / width);
  return Array.from({ length: count }, (_, index) => ({
    ...(index === count - 1 ? {} : { metricIntervalLowerBound: -((index + 1) * width + 1) }),
    metricIntervalUpperBound: index === 0 ? 0 : -(index * width + 1),
    scalingAdjustment: Math.min((index + 1) * width, target),
  }));
}

/**
 * No runner is idle: the metric does not show the length of the queue, so growth must be geometric. Instances come into service one by
 * one, and each of them is a new decision; growing by 300 % keeps a burst to a handful of them (docs/decisions/0005).
 */
export function geometricSteps(target: number): readonly Step[] {
  if (target === 1) return [{ metricIntervalUpperBound: 0, scalingAdjustment: growthPercent }];
  return [
    { metricIntervalUpperBound: -target, scalingAdjustment: growthPercent },
    { metricIntervalLowerBound: -target, metricIntervalUpperBound: 0, scalingAdjustment: 0 },
  ];
}

/** Scaling on idle runners: up by the shortfall, geometrically at zero idle runners, and down by one. */
export class FleetScaling extends Construct {
  constructor(scope: Construct, id: string, settings: RunnerFleetSettings, groupName: string) {
    super(scope, id);
    const target = settings.idleRunnersTargetCount;
    const shortfall = new CfnScalingPolicy(this, 'Shortfall', {
      autoScalingGroupName: groupName,
      policyType: 'StepScaling',
      adjustmentType: 'ChangeInCapacity',
      estimatedInstanceWarmup: 120,
      metricAggregationType: 'Average',
      stepAdjustments: [...shortfallSteps(target)],
    });
    const geometric = new CfnScalingPolicy(this, 'Geometric', {
      autoScalingGroupName: groupName,
      policyType: 'StepScaling',
      adjustmentType: 'PercentChangeInCapacity',
      minAdjustmentMagnitude: 1,
      estimatedInstanceWarmup: 120,
      metricAggregationType: 'Average',
      stepAdjustments: [...geometricSteps(target)],
    });
    const surplus = new CfnScalingPolicy(this, 'Surplus', {
      autoScalingGroupName: groupName,
      policyType: 'SimpleScaling',
      adjustmentType: 'ChangeInCapacity',
      scalingAdjustment: -1,
      cooldown: '60',
    });
    const idle = {
      namespace: metricNamespace(settings.vendor),
      metricName: metrics.idle,
      dimensions: [{ name: groupDimension, value: groupName }],
      statistic: 'Average',
      period: 60,
      treatMissingData: 'ignore',
    };
    new CfnAlarm(this, 'Low', {
      ...idle,
      alarmName: alarmName.idleLow(settings.groupName),
      alarmDescription: `fewer than ${target} idle runners: scale up`,
      comparisonOperator: 'LessThanThreshold',
      threshold: target,
      evaluationPeriods: 1,
      alarmActions: [shortfall.ref, geometric.ref],
    });
    new CfnAlarm(this, 'High', {
      ...idle,
      alarmName: alarmName.idleHigh(settings.groupName),
      alarmDescription: `more than ${target} idle runners for 10 minutes: scale in by one`,
      comparisonOperator: 'GreaterThanThreshold',
      threshold: target,
      evaluationPeriods: 10,
      alarmActions: [surplus.ref],
    });
  }
}
