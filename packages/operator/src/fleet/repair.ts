import { TerminalError } from '@drover/core';
import { hooks } from '@drover/core/names/runner-fleet';
import { type Finding, reconcile } from '@drover/runner-fleet';
import { type DroverIo, serviceNow } from '../io.ts';
import { confirm } from '../render/confirm.ts';
import { duration, type Format, json } from '../render/table.ts';
import { openFleet } from './open-fleet.ts';

/** `drover fleet reconcile`: runs the sweep now. What was seen only once waits for a second reading, as in the scheduled sweep. */
export async function fleetReconcile(
  io: DroverIo,
  options: { stack: string; type?: string; dryRun: boolean; format: Format },
): Promise<number> {
  const { ports } = await openFleet(io, options);
  const findings = await reconcile(ports, { dryRun: options.dryRun });
  if (options.format === 'json') io.stdout(json(findings));
  else if (findings.length === 0) io.stdout('nothing to do\n');
  else for (const finding of findings) io.stdout(`${sentence(finding, options.dryRun, serviceNow(io))}\n`);
  return 0;
}

const sentence = ({ action, because, firstSeenAt }: Finding, dryRun: boolean, now: number) => {
  const { kind, ...what } = action;
  const target = Object.values(what).join(' ');
  return `${dryRun ? 'would ' : ''}${kind} ${target}: ${because} (first seen ${duration(now - firstSeenAt)} ago)`;
};

/** `drover fleet complete-termination INSTANCE`: completes the termination hook now. A job that is still running there is lost. */
export async function completeTermination(
  io: DroverIo,
  instanceId: string,
  options: { stack: string; type?: string; yes: boolean },
): Promise<number> {
  const { ports, groupName } = await openFleet(io, options);
  const member = (await ports.group.read()).instances.find(({ id }) => id === instanceId);
  if (member === undefined)
    throw new TerminalError(`${instanceId} is not in the group ${groupName}`, {
      remedy: '`drover fleet runners` lists its instances',
    });
  const notWaiting = () =>
    new TerminalError(`the hook ${hooks.deregistration.name} of ${instanceId} is not open`, {
      remedy: `it is ${member.lifecycleState}; only an instance in Terminating:Wait has an open hook`,
    });
  if (!member.lifecycleState.endsWith('Terminating:Wait')) throw notWaiting();
  const question = `complete the termination of ${instanceId} now; a job that still runs there is lost`;
  if (!(await confirm(io, question, options.yes))) return 1;
  const outcome = await ports.hooks.complete(instanceId, hooks.deregistration.name, 'CONTINUE');
  if (outcome === 'not-waiting') throw notWaiting();
  io.stdout(`${instanceId}: hook ${hooks.deregistration.name} completed with CONTINUE\n`);
  return 0;
}
