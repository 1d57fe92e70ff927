import { alarmName, groupDimension, metricNamespace, metrics } from '@drover/core/names/runner-fleet';
import { CfnScalingPolicy } from 'aws-cdk-lib/aws-autoscaling';
import { CfnAlarm, type CfnAlarmProps } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { RunnerFleetSettings } from './settings.ts';

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

/** Adds as many runners as the metric says, up to the limit. Bounds are relative to the threshold of one runner. */
export function wantedSteps(limit: number): readonly Step[] {
  const width = Math.max(1, Math.ceil(limit / mostSteps));
  const count = Math.ceil(limit / width);
  return Array.from({ length: count }, (_, index) => ({
    metricIntervalLowerBound: index * width,
    ...(index === count - 1 ? {} : { metricIntervalUpperBound: (index + 1) * width }),
    scalingAdjustment: Math.min((index + 1) * width, limit),
  }));
}

/**
 * Idle runners against their target, as alarms watch them. Schedules change the target, so with them it is the difference to the target that is
 * published, with a threshold of 0. Steps are relative to the threshold and so the same for both.
 */
function idleAgainstTarget(
  settings: RunnerFleetSettings,
  { namespace, dimensions, statistic, period, ...rest }: Measured,
) {
  const target = settings.idleRunnersTargetCount;
  if (settings.idleTargetSchedules.length === 0) {
    const one = { ...rest, namespace, dimensions, statistic, period, metricName: metrics.idle, threshold: target };
    return { watched: one, words: `than ${target} idle runners` };
  }
  const query = (id: string, metricName: string) => ({
    id,
    metricStat: { metric: { namespace, metricName, dimensions }, period, stat: statistic },
    returnData: false,
  });
  const difference = { id: 'difference', expression: 'idle - target', returnData: true };
  const queries = [query('idle', metrics.idle), query('target', metrics.idleTarget), difference];
  return { watched: { ...rest, metrics: queries, threshold: 0 }, words: 'idle runners than are wanted now' };
}

type Measured = Required<
  Pick<CfnAlarmProps, 'namespace' | 'statistic' | 'period' | 'treatMissingData'> & {
    readonly dimensions: CfnAlarm.DimensionProperty[];
  }
>;

/** Scaling on idle runners: up by the shortfall, by more while none is idle, and down by one. In jobs mode the alarm on few idle runners alone. */
export class FleetScaling extends Construct {
  constructor(scope: Construct, id: string, settings: RunnerFleetSettings, groupName: string) {
    super(scope, id);
    const measured: Measured = {
      namespace: metricNamespace(settings.vendor),
      dimensions: [{ name: groupDimension, value: groupName }],
      statistic: 'Average',
      period: 60,
      treatMissingData: 'ignore',
    };
    const { watched, words } = idleAgainstTarget(settings, measured);
    const low = new CfnAlarm(this, 'Low', {
      ...watched,
      alarmName: alarmName.idleLow(settings.groupName),
      alarmDescription: `fewer ${words}${settings.scalingMode === 'jobs' ? '' : ': scale up'}`,
      comparisonOperator: 'LessThanThreshold',
      evaluationPeriods: 1,
    });
    if (settings.scalingMode === 'jobs') return;
    const stepPolicy = (policyId: string, estimatedInstanceWarmup: number, steps: readonly Step[]) =>
      new CfnScalingPolicy(this, policyId, {
        autoScalingGroupName: groupName,
        policyType: 'StepScaling',
        adjustmentType: 'ChangeInCapacity',
        estimatedInstanceWarmup,
        metricAggregationType: 'Average',
        stepAdjustments: [...steps],
      });
    const shortfall = stepPolicy('Shortfall', 120, shortfallSteps(settings.mostIdle));
    // A warm-up as short as the group's own: the function asks for more only when no launch is under way.
    const growth = stepPolicy('Growth', 60, wantedSteps(settings.scaleUpLimit));
    const surplus = new CfnScalingPolicy(this, 'Surplus', {
      autoScalingGroupName: groupName,
      policyType: 'SimpleScaling',
      adjustmentType: 'ChangeInCapacity',
      scalingAdjustment: -1,
      cooldown: '60',
    });
    low.alarmActions = [shortfall.ref];
    new CfnAlarm(this, 'None', {
      ...measured,
      metricName: metrics.wanted,
      alarmName: alarmName.idleNone(settings.groupName),
      alarmDescription: `no runner is idle: scale up as the working runners suggest, by at most ${settings.scaleUpLimit}`,
      comparisonOperator: 'GreaterThanOrEqualToThreshold',
      threshold: 1,
      evaluationPeriods: 1,
      // Silence is no demand.
      treatMissingData: 'notBreaching',
      alarmActions: [growth.ref],
    });
    new CfnAlarm(this, 'High', {
      ...watched,
      alarmName: alarmName.idleHigh(settings.groupName),
      alarmDescription: `more ${words} for 10 minutes: scale in by one`,
      comparisonOperator: 'GreaterThanThreshold',
      evaluationPeriods: 10,
      alarmActions: [surplus.ref],
    });
  }
}
