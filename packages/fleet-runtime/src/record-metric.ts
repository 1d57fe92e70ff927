import { type AwsCalls, fleetMetrics } from '@drover/adapters/aws';
import { scaleSetEnd, scaleSetRunners } from '@drover/adapters/github';
import { environment as keys } from '@drover/core/names/runner-fleet';
import {
  closeLeftScaleSet,
  idleTarget,
  type RunnerType,
  recordDemand,
  recordMetric,
  recordTypes,
} from '@drover/runner-fleet';
import { type CommonAws, composeFleet, type FunctionRuntime, quietWithoutGroup } from './compose.ts';
import { day, reader } from './function-config.ts';
import { listedRunners } from './listed-runners.ts';
import { withRemedyInMessage } from './remedy-in-message.ts';
import { readScalingConfig } from './scaling-config.ts';

export type RecordMetricAws = CommonAws & Pick<AwsCalls, 'monitoring'>;

/** `<asg>_record_metric`: every minute, whatever the event says. In idle mode it also closes what an earlier jobs mode has left. */
export const recordMetricFunction = withRemedyInMessage((runtime: FunctionRuntime<RecordMetricAws>) => {
  const fleet = composeFleet(runtime);
  const { ports: common, config, aws } = fleet;
  const { vendor, groupName } = config;
  const { idleTarget: usual, idleTargetSchedules, scaleUpLimit: most } = readScalingConfig(runtime.env);
  const ports = {
    ...common,
    runners: listedRunners(fleet),
    metrics: fleetMetrics(aws, { vendor, groupName }),
    runnerReleasedAt: reader(runtime.env).optional(keys.runnerReleased, day),
    limits: { most },
    published: { at: 0 },
    idleTarget: (now: number) => idleTarget(usual, idleTargetSchedules, now),
  };
  const jobsMode = config.scalingMode === 'jobs';
  const left = {
    ...common,
    service() {
      const actions = fleet.actions('record_metric', true);
      return { service: scaleSetEnd(actions), runners: scaleSetRunners(actions) };
    },
  };
  const types = {
    find: async () => (config.hasTypes ? await fleet.types() : []),
    demand: (type: RunnerType) => ({ ...fleet.ofType(type).ports, idleTarget: () => type.idleTarget }),
    metrics: ({ groupName }: RunnerType) => fleetMetrics(aws, { vendor, groupName }),
    quietly: (run: () => Promise<void>) => quietWithoutGroup(common.log, run)(undefined),
  };
  // A group and its fallback are one: none of AWS's metrics is about both.
  if (jobsMode && (config.hasTypes || config.hasFallback)) return () => recordTypes(ports, types);
  return quietWithoutGroup(common.log, async () => {
    if (jobsMode) return await recordDemand(ports);
    await recordMetric(ports);
    await closeLeftScaleSet(left);
  });
});
