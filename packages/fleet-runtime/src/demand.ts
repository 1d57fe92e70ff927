import { groupHistory, groupSize, hostReports } from '@drover/adapters/aws';
import { demandService, scaleSetEnd, scaleSetRunners, workflowRuns } from '@drover/adapters/github';
import {
  hostReportPrefix,
  demandEnvironment as keys,
  sessionOwner,
  typeMemoryKey,
} from '@drover/core/names/runner-fleet';
import { type DemandPorts, idleTarget, type RunnerType, watchDemand } from '@drover/runner-fleet';
import {
  type CommonAws,
  type ComposedGroup,
  composeFleet,
  type FunctionRuntime,
  quietWithoutGroup,
} from './compose.ts';
import { flag, reader } from './function-config.ts';
import { withRemedyInMessage } from './remedy-in-message.ts';
import { jsonList, readScalingConfig } from './scaling-config.ts';

const seconds = {
  expected: 'a number of seconds up to 50',
  parse: (value: string) => (/^\d{1,2}$/.test(value) && Number(value) <= 50 ? Number(value) : undefined),
};

const labels = jsonList('labels', (label: string) => typeof label === 'string');

/** `<asg>_demand`, in jobs mode: a window each minute, whatever the event says. */
export const demandFunction = withRemedyInMessage((runtime: FunctionRuntime<CommonAws>) => {
  const fleet = composeFleet(runtime);
  const { config, aws, actions, ports } = fleet;
  const { required, optional } = reader(runtime.env);
  const { idleTarget: usual, idleTargetSchedules } = readScalingConfig(runtime.env);
  const windows = {
    windowMs: required(keys.window, seconds) * 1000,
    adaptiveWindows: optional(keys.adaptive, flag) === 'true',
  };
  const quietly = (run: () => Promise<void>) => quietWithoutGroup(ports.log, run)(undefined);
  const ofDefault = demandPorts(fleet, {
    ...windows,
    labels: required(keys.labels, labels),
    idleTarget: (now) => idleTarget(usual, idleTargetSchedules, now),
    rerunsInterrupted: optional(keys.rerunInterrupted, flag) === 'true',
  });
  const types = {
    expected: config.hasTypes,
    find: fleet.types,
    demand: (type: RunnerType) =>
      demandPorts(fleet.ofType(type), {
        ...windows,
        labels: type.labels,
        idleTarget: () => type.idleTarget,
        rerunsInterrupted: type.rerunsInterrupted === true,
      }),
    left: scaleSetEnd(actions('demand', true)),
    forget: async (type: string) =>
      void (await aws.s3('DeleteObject', { Bucket: config.memory.bucket, Key: typeMemoryKey(type) })),
    quietly,
  };
  return () => quietly(() => watchDemand(ofDefault, types));
});

interface DemandSettings extends Pick<DemandPorts, 'windowMs' | 'adaptiveWindows'> {
  readonly labels: readonly string[];
  idleTarget(now: number): number;
  readonly rerunsInterrupted: boolean;
}

function demandPorts<Aws extends CommonAws>(
  { config, aws, actions, platform, ports }: ComposedGroup<Aws>,
  { labels, idleTarget, rerunsInterrupted, ...windows }: DemandSettings,
) {
  const { groupName, fleet, instanceArnPrefix, runnerGroup } = config;
  const service = actions('demand', true);
  return {
    ...ports,
    groupName,
    size: groupSize(aws, groupName),
    history: groupHistory(aws, groupName, ports.groups),
    reports: hostReports(aws, { bucket: config.memory.bucket, prefix: hostReportPrefix(instanceArnPrefix) }),
    service: demandService(service, {
      name: groupName,
      owner: sessionOwner(fleet, instanceArnPrefix),
      labels,
      runnerGroup,
    }),
    runners: scaleSetRunners(service),
    runs: rerunsInterrupted ? workflowRuns(platform) : undefined,
    idleTarget,
    ...windows,
  };
}
