import { TerminalError } from '@drover/core';
import { hooks } from '@drover/core/names/runner-fleet';
import type { DroverIo } from '../io.ts';
import { openFleet } from './open-fleet.ts';

/** `drover fleet complete-termination INSTANCE`: lets an instance go now. A job that still runs there is lost. */
export async function completeTermination(
  io: DroverIo,
  instanceId: string,
  options: { stack: string },
): Promise<number> {
  const { ports, groupName } = await openFleet(io, options);
  const member = (await ports.group.read()).instances.find(({ id }) => id === instanceId);
  if (member === undefined)
    throw new TerminalError(`${instanceId} is not in the group ${groupName}`, {
      remedy: '`drover fleet runners` lists its instances',
    });
  const outcome = await ports.hooks.complete(instanceId, hooks.deregistration.name, 'CONTINUE');
  if (outcome === 'not-waiting')
    throw new TerminalError(`the hook ${hooks.deregistration.name} of ${instanceId} is not open`, {
      remedy: `it is ${member.lifecycleState}; only an instance in Terminating:Wait can be let go`,
    });
  io.stdout(`${instanceId}: hook ${hooks.deregistration.name} completed with CONTINUE\n`);
  return 0;
}
