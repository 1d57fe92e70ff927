import { groupHistory, groupSize, hostReports } from '@drover/adapters/aws';
import { demandService, scaleSetEnd, scaleSetRunners } from '@drover/adapters/github';
import {
  hostReportPrefix,
  demandEnvironment as keys,
  sessionOwner,
  typeMemoryKey,
} from '@drover/core/names/runner-fleet';
import { idleTarget, type RunnerType, watchDemand } from '@drover/runner-fleet';
import {
  type CommonAws,
  type ComposedGroup,
  composeFleet,
  type FunctionRuntime,
  quietWithoutGroup,
} from './compose.ts';
import { reader } from './function-config.ts';
import { withRemedyInMessage } from './remedy-in-message.ts';
import { readScalingConfig } from './scaling-config.ts';

const seconds = {
  expected: 'a number of seconds up to 50',
  parse: (value: string) => (/^\d{1,2}$/.test(value) && Number(value) <= 50 ? Number(value) : undefined),
};

const labels = {
  expected: 'a JSON list of labels',
  parse(value: string) {
    try {
      const list = JSON.parse(value) as readonly string[];
      return Array.isArray(list) && list.every((label) => typeof label === 'string') ? list : undefined;
    } catch {
      return undefined;
    }
  },
};

/** `<asg>_demand`, in jobs mode: a window each minute, whatever the event says. */
export const demandFunction = withRemedyInMessage((runtime: FunctionRuntime<CommonAws>) => {
  const fleet = composeFleet(runtime);
  const { config, aws, actions, ports } = fleet;
  const { required } = reader(runtime.env);
  const { idleTarget: usual, idleTargetSchedules } = readScalingConfig(runtime.env);
  const windowMs = required(keys.window, seconds) * 1000;
  const quietly = (run: () => Promise<void>) => quietWithoutGroup(ports.log, run)(undefined);
  const ofDefault = demandPorts(fleet, required(keys.labels, labels), windowMs, (now) =>
    idleTarget(usual, idleTargetSchedules, now),
  );
  const types = {
    expected: config.hasTypes,
    find: fleet.types,
    demand: (type: RunnerType) => demandPorts(fleet.ofType(type), type.labels, windowMs, () => type.idleTarget),
    left: scaleSetEnd(actions('demand', true)),
    forget: async (type: string) =>
      void (await aws.s3('DeleteObject', { Bucket: config.memory.bucket, Key: typeMemoryKey(type) })),
    quietly,
  };
  return () => quietly(() => watchDemand(ofDefault, types));
});

function demandPorts<Aws extends CommonAws>(
  { config, aws, actions, ports }: ComposedGroup<Aws>,
  labels: readonly string[],
  windowMs: number,
  idleTarget: (now: number) => number,
) {
  const { groupName, fleet, instanceArnPrefix, runnerGroup } = config;
  const service = actions('demand', true);
  return {
    ...ports,
    groupName,
    size: groupSize(aws, groupName),
    history: groupHistory(aws, groupName, ports.groups),
    reports: hostReports({ s3: aws.s3 }, { bucket: config.memory.bucket, prefix: hostReportPrefix(instanceArnPrefix) }),
    service: demandService(service, {
      name: groupName,
      owner: sessionOwner(fleet, instanceArnPrefix),
      labels,
      runnerGroup,
    }),
    runners: scaleSetRunners(service),
    idleTarget,
    windowMs,
  };
}
