import { groupHistory, groupSize, hostReports } from '@drover/adapters/aws';
import { demandService, scaleSetRunners } from '@drover/adapters/github';
import { hostReportPrefix, demandEnvironment as keys, sessionOwner } from '@drover/core/names/runner-fleet';
import { idleTarget, watchDemand } from '@drover/runner-fleet';
import { type CommonAws, composeFleet, type FunctionRuntime, quietWithoutGroup } from './compose.ts';
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
  const { config, aws, actions, ports } = composeFleet(runtime);
  const { required } = reader(runtime.env);
  const { groupName, instanceArnPrefix, runnerGroup } = config;
  const { idleTarget: usual, idleTargetSchedules } = readScalingConfig(runtime.env);
  const service = actions('demand', true);
  const demandPorts = {
    ...ports,
    groupName,
    size: groupSize(aws, groupName),
    history: groupHistory(aws, groupName),
    reports: hostReports({ s3: aws.s3 }, { bucket: config.memory.bucket, prefix: hostReportPrefix(instanceArnPrefix) }),
    service: demandService(service, {
      name: groupName,
      owner: sessionOwner(groupName, instanceArnPrefix),
      labels: required(keys.labels, labels),
      runnerGroup,
    }),
    runners: scaleSetRunners(service),
    idleTarget: (now: number) => idleTarget(usual, idleTargetSchedules, now),
    windowMs: required(keys.window, seconds) * 1000,
  };
  return quietWithoutGroup(ports.log, () => watchDemand(demandPorts));
});
