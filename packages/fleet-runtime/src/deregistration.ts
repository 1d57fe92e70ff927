import {
  type AwsCalls,
  groupMembers,
  hostReports,
  lifecycleHooks,
  remoteCommands,
  tokenSecrets,
  typeSecrets,
} from '@drover/adapters/aws';
import { scaleSetDirectory, scaleSetRunners } from '@drover/adapters/github';
import { hostReportPrefix } from '@drover/core/names/runner-fleet';
import { deleteLeftSecrets, type FleetMemory, guardTerminations, reconcile } from '@drover/runner-fleet';
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

/** Every 15th minute's pass reconciles the group, the platform and the secrets. */
export const passesPerSweep = 15;

export type DeregistrationAws = CommonAws & Pick<AwsCalls, 'ec2' | 'ssm'>;

/** Everything that drains and the sweep use. An operator's command has the same, with the operator's credentials. */
export function terminationPorts<Aws extends DeregistrationAws>(fleet: ComposedGroup<Aws>) {
  const { aws, config, ports } = fleet;
  const { groupName, instanceArnPrefix, allowedDrainTimeMs } = config;
  const jobsMode = config.scalingMode === 'jobs';
  const runners = listedRunners(fleet);
  return {
    ...ports,
    jobsMode,
    runners: jobsMode
      ? { ...runners, ...scaleSetDirectory(scaleSetRunners(fleet.actions('deregistration'))) }
      : runners,
    members: groupMembers(aws, ports.groups),
    hooks: lifecycleHooks(aws, ports.groups),
    secrets: tokenSecrets(aws, groupName, instanceArnPrefix),
    reports: hostReports(aws, { bucket: config.memory.bucket, prefix: hostReportPrefix(instanceArnPrefix) }),
    commands: remoteCommands(aws),
    allowedDrainTimeMs,
  };
}

/** `<asg>_deregistration`: a termination event or the minute's schedule starts one pass; the schedule also sweeps. */
export const deregistrationFunction = withRemedyInMessage((runtime: FunctionRuntime<DeregistrationAws>) => {
  const fleet = composeFleet(runtime);
  // One count for all types, kept with the default one's.
  const pass = counted(fleet.ports.memory);
  const { config, aws, ports } = fleet;
  const secrets = typeSecrets(aws, config.fleet);
  const sweepTypes = async () => {
    if (config.hasTypes) await deleteLeftSecrets({ ...ports, secrets, find: fleet.types });
  };
  return overTypes(fleet, (group) =>
    deregistrationPass(group, pass, group.type === undefined ? sweepTypes : async () => {}),
  );
});

function deregistrationPass(
  group: ComposedGroup<DeregistrationAws>,
  pass: (event: unknown) => Promise<number>,
  alsoSweep: () => Promise<void>,
) {
  const ports = terminationPorts(group);
  const { groupName } = group.config;
  return quietWithoutGroup(ports.log, async (event) => {
    const trigger = readTrigger(event, { groupName, fallback: fallbackOf(group.config), transition: 'terminate' });
    // Another function may have written since the last invocation of this environment.
    await ports.memory.read();
    await guardTerminations(ports, trigger.kind === 'lifecycle' ? trigger.instanceId : undefined);
    if (trigger.kind === 'malformed') throw malformedEvent(trigger.because);
    if (trigger.kind !== 'schedule' || (await pass(event)) % passesPerSweep !== 0) return;
    await reconcile(ports);
    await alsoSweep();
  });
}

/** Counts each event once, also when the passes of several types ask for its number. */
function counted(memory: FleetMemory): (event: unknown) => Promise<number> {
  let last: { readonly event: unknown; readonly pass: Promise<number> } | undefined;
  return (event) => {
    if (last === undefined || last.event !== event) last = { event, pass: countPass(memory) };
    return last.pass;
  };
}

async function countPass(memory: FleetMemory): Promise<number> {
  let pass = 0;
  await memory.update((state) => {
    pass = state.pass + 1;
    return { ...state, pass };
  });
  return pass;
}
