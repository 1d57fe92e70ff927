import {
  type AwsCalls,
  groupMembers,
  hostReportsAndTags,
  lifecycleHooks,
  remoteCommands,
  tokenSecrets,
  typeSecrets,
} from '@drover/adapters/aws';
import { scaleSetDirectory, scaleSetRunners } from '@drover/adapters/github';
import type { Clock } from '@drover/core';
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

/** A pass reconciles the group, the platform and the secrets after this time: half a minute less than 15, for the schedule is not exact to the second. */
const sweepEveryMs = 14.5 * 60_000;

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
    reports: hostReportsAndTags(aws, { bucket: config.memory.bucket, prefix: hostReportPrefix(instanceArnPrefix) }),
    commands: remoteCommands(aws),
    allowedDrainTimeMs,
  };
}

/** `<asg>_deregistration`: a termination event or the minute's schedule starts one pass; the schedule also sweeps. */
export const deregistrationFunction = withRemedyInMessage((runtime: FunctionRuntime<DeregistrationAws>) => {
  const fleet = composeFleet(runtime);
  // One sweep for all types, noted with the default one's.
  const sweepIsDue = onceAnEvent(sweepNote(fleet.ports));
  const { config, aws, ports } = fleet;
  const secrets = typeSecrets(aws, config.fleet);
  const sweepTypes = async () => {
    if (config.hasTypes) await deleteLeftSecrets({ ...ports, secrets, find: fleet.types });
  };
  return overTypes(fleet, (group) =>
    deregistrationPass(group, sweepIsDue, group.type === undefined ? sweepTypes : async () => {}),
  );
});

function deregistrationPass(
  group: ComposedGroup<DeregistrationAws>,
  sweepIsDue: (event: unknown) => Promise<boolean>,
  alsoSweep: () => Promise<void>,
) {
  const ports = terminationPorts(group);
  const { groupName } = group.config;
  return quietWithoutGroup(ports.log, async (event) => {
    const trigger = readTrigger(event, { groupName, fallback: fallbackOf(group.config), transition: 'terminate' });
    // Another function may have written since the last invocation of this environment, also that the platform asked for a pause.
    if (group.type === undefined) await ports.memory.read();
    await guardTerminations(ports, trigger.kind === 'lifecycle' ? trigger.instanceId : undefined);
    if (trigger.kind === 'malformed') throw malformedEvent(trigger.because);
    if (trigger.kind !== 'schedule' || !(await sweepIsDue(event))) return;
    await reconcile(ports);
    await alsoSweep();
  });
}

/** Asks once for each event, also when the passes of several types ask. */
function onceAnEvent(ask: () => Promise<boolean>): (event: unknown) => Promise<boolean> {
  let last: { readonly event: unknown; readonly answer: Promise<boolean> } | undefined;
  return (event) => {
    if (last === undefined || last.event !== event) last = { event, answer: ask() };
    return last.answer;
  };
}

/**
 * Whether a sweep is due, which is noted then. A fleet that is new, or has lost its memory, waits for its first one. The memory is read when
 * one may be due.
 */
function sweepNote({ clock, memory }: { readonly clock: Clock; readonly memory: FleetMemory }): () => Promise<boolean> {
  let known = 0;
  return async () => {
    const now = clock.now();
    if (now - known < sweepEveryMs) return false;
    const { sweptAt } = await memory.read();
    const due = sweptAt === undefined || now - sweptAt >= sweepEveryMs;
    if (due) await memory.update((state) => ({ ...state, sweptAt: now }));
    known = due ? now : sweptAt;
    return due && sweptAt !== undefined;
  };
}
