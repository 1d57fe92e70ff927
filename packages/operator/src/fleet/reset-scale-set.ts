import { isRefusedWith, scaleSetEnd, sessionOpening } from '@drover/adapters/github';
import { TerminalError } from '@drover/core';
import { sessionOwner } from '@drover/core/names/runner-fleet';
import { isConflict } from '@drover/runner-fleet';
import type { DroverIo } from '../io.ts';
import { confirm } from '../render/confirm.ts';
import { openFleet } from './open-fleet.ts';

/**
 * `drover fleet reset-scale-set`: deletes a scale set that a lost session of this fleet holds, so that the next window makes it again. It refuses
 * while another program may be listening.
 */
export async function resetScaleSet(
  io: DroverIo,
  options: { stack: string; type?: string; yes: boolean },
): Promise<number> {
  const { ports, config, actions, groupName, fleetName } = await openFleet(io, options);
  if (!ports.jobsMode)
    throw new TerminalError(`${groupName} is in idle mode: it has no scale set`, {
      remedy: '`drover fleet doctor` says whether one of an earlier jobs mode is left',
    });
  const { scaleSet, conflicts = 0 } = (await ports.memory.read()).jobs ?? {};
  const nothing = (why: string) => {
    io.stdout(`${why}: nothing to reset\n`);
    return 0;
  };
  if (scaleSet === undefined) return nothing('the fleet has no scale set yet, or it is being made again');
  if (conflicts === 0) return nothing(`the fleet itself reads the jobs of the scale set ${scaleSet.name}`);
  const service = actions('reset');
  const owner = sessionOwner(fleetName, config.instanceArnPrefix);
  const end = scaleSetEnd(service);
  const opened = await sessionOpening(service, owner).openSession(scaleSet.id);
  if (opened === 'scale-set-unknown') return nothing(`the scale set ${scaleSet.name} is gone, and is made again`);
  if (!isConflict(opened)) {
    await end.closeSession(scaleSet.id, opened.id);
    return nothing(`no session holds the scale set ${scaleSet.name} any more`);
  }
  if (opened.heldBy !== owner) throw heldByAnother(scaleSet.name, opened.heldBy);
  const question = `delete the scale set ${scaleSet.name} (id ${scaleSet.id}), which a lost session of this fleet holds; jobs that wait for it are assigned again when it is made again`;
  if (!(await confirm(io, question, options.yes))) return 1;
  await end.deleteScaleSet(scaleSet.id).catch(whileJobsRun(scaleSet.name));
  io.stdout(`the scale set ${scaleSet.name} is deleted; the next window of ${groupName} makes it again\n`);
  return 0;
}

const whileJobsRun = (name: string) => (error: unknown) => {
  if (!isRefusedWith(400)(error)) throw error;
  throw new TerminalError(`the platform does not delete the scale set ${name} while its jobs run`, {
    remedy: 'run this again when they are over',
    cause: error,
  });
};

const heldByAnother = (name: string, heldBy: string | undefined) =>
  heldBy === undefined
    ? new TerminalError(`a session holds the scale set ${name}, and the platform does not say whose`, {
        remedy:
          'look for another listener (a second fleet of this name, or another tool); if there is none, delete the scale set at the platform',
      })
    : new TerminalError(`${heldBy} holds a session with the scale set ${name}: it is not this fleet`, {
        remedy: `end the listener ${heldBy}, or give this fleet another group_name`,
      });
