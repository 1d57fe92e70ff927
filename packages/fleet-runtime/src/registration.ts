import { type AwsCalls, fleetMetrics, hostReports, lifecycleHooks, tokenSecrets } from '@drover/adapters/aws';
import { jitConfigurations } from '@drover/adapters/github';
import { hostReportPrefix } from '@drover/core/names/runner-fleet';
import { registerInstances } from '@drover/runner-fleet';
import {
  type CommonAws,
  type ComposedGroup,
  composeFleet,
  type FunctionRuntime,
  quietWithoutGroup,
} from './compose.ts';
import { fallbackOf } from './function-config.ts';
import { malformedEvent, readTrigger } from './lifecycle-event.ts';
import { listedRunners } from './listed-runners.ts';
import { overTypes } from './over-types.ts';
import { withRemedyInMessage } from './remedy-in-message.ts';

export type RegistrationAws = CommonAws & Pick<AwsCalls, 'monitoring'>;

/** `<asg>_registration`: a launch event or the minute's schedule starts one pass. */
export const registrationFunction = withRemedyInMessage((runtime: FunctionRuntime<RegistrationAws>) =>
  overTypes(composeFleet(runtime), registrationPass),
);

function registrationPass(fleet: ComposedGroup<RegistrationAws>) {
  const { ports: common, config, aws, actions } = fleet;
  const runners = listedRunners(fleet);
  const { groupName, vendor, instanceArnPrefix, runnerGroup } = config;
  const oneJob = config.scalingMode === 'jobs';
  const ports = {
    ...common,
    oneJob,
    runners,
    tokens: oneJob
      ? jitConfigurations(actions('registration'), common.memory, { name: groupName, runnerGroup })
      : runners,
    hooks: lifecycleHooks(aws, common.groups),
    secrets: tokenSecrets(aws, groupName, instanceArnPrefix, fleet.type === undefined ? undefined : config.fleet),
    metrics: fleetMetrics(aws, { vendor, groupName: config.fleet }),
    reports: hostReports(aws, { bucket: config.memory.bucket, prefix: hostReportPrefix(instanceArnPrefix) }),
    bootTimeoutMs: config.bootTimeoutMs,
  };
  return quietWithoutGroup(ports.log, async (event) => {
    const trigger = readTrigger(event, { groupName, fallback: fallbackOf(config), transition: 'launch' });
    await registerInstances(ports, trigger.kind === 'lifecycle' ? trigger : {});
    if (trigger.kind === 'malformed') throw malformedEvent(trigger.because);
  });
}
