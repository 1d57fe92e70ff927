import { type AwsCalls, fleetMetrics } from '@drover/adapters/aws';
import { idleTarget, recordDemand, recordMetric } from '@drover/runner-fleet';
import { type CommonAws, composeFleet, type FunctionRuntime, quietWithoutGroup } from './compose.ts';
import { listedRunners } from './listed-runners.ts';
import { withRemedyInMessage } from './remedy-in-message.ts';
import { readScalingConfig } from './scaling-config.ts';

export type RecordMetricAws = CommonAws & Pick<AwsCalls, 'monitoring'>;

/** `<asg>_record_metric`: every minute, whatever the event says. */
export const recordMetricFunction = withRemedyInMessage((runtime: FunctionRuntime<RecordMetricAws>) => {
  const fleet = composeFleet(runtime);
  const { ports: common, config, aws } = fleet;
  const { vendor, groupName, runnerReleasedAt } = config;
  const { idleTarget: usual, idleTargetSchedules, scaleUpLimit: most } = readScalingConfig(runtime.env);
  const ports = {
    ...common,
    runners: listedRunners(fleet),
    metrics: fleetMetrics(aws, { vendor, groupName }),
    runnerReleasedAt,
    limits: { most },
    idleTarget: (now: number) => idleTarget(usual, idleTargetSchedules, now),
  };
  const jobsMode = config.scalingMode === 'jobs';
  return quietWithoutGroup(common.log, () => (jobsMode ? recordDemand(ports) : recordMetric(ports)));
});
