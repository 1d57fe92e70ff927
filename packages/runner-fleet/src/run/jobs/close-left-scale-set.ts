import { isDeepStrictEqual } from 'node:util';
import type { Clock, Logger } from '@drover/core';
import type { HostNotes } from '../../decide/jobs/note-hosts.ts';
import type { DemandService, ScaleSetRunners } from '../../jobs-ports.ts';
import type { JobsMemory } from '../../model/jobs.ts';
import type { FleetMemory, GroupReader } from '../../ports.ts';
import { failureFields } from '../failure-fields.ts';

export interface LeftScaleSetPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly group: GroupReader;
  readonly memory: FleetMemory;
  /** Made when they are needed: a fleet that was never in jobs mode has no connection to the Actions service. */
  service(): {
    readonly service: Pick<DemandService, 'connect' | 'closeSession' | 'deleteScaleSet'>;
    readonly runners: ScaleSetRunners;
  };
}

/** Bounded work in a pass; the rest follows in the next one. */
const mostOfEach = 50;

/**
 * In idle mode: the scale set of an earlier jobs mode is closed once none of its runners has a job. The function that owned it is gone, and
 * jobs would wait for it. Its hosts stay in the memory until they have left the group: they take no jobs of idle mode, and are not counted.
 * Whatever fails is tried again in the next minute.
 */
export async function closeLeftScaleSet(ports: LeftScaleSetPorts): Promise<void> {
  const { clock, log, memory } = ports;
  const { jobs } = await memory.read();
  // The last window of the demand may still be open.
  if (jobs === undefined || (jobs.lease?.until ?? 0) > clock.now()) return;
  try {
    const { instances } = await ports.group.read();
    const present = new Set(instances.map(({ id }) => id));
    const { scaleSet, sessionId } = jobs;
    if (scaleSet === undefined) return await remember(memory, jobs, rest(jobs.hosts, present));
    const { service, runners } = ports.service();
    await service.connect();
    const hosts = await withoutRunners({ clock, runners }, scaleSet.id, jobs.hosts);
    const serving = Object.keys(hosts).filter((name) => hosts[name]!.unknownSince === undefined);
    const noted = { ...jobs, hosts };
    await remember(memory, jobs, noted);
    if (serving.length > 0)
      return log.info('the scale set of jobs mode stays until its last jobs are over', { runners: serving });
    if (sessionId !== undefined) await service.closeSession(scaleSet.id, sessionId);
    await service.deleteScaleSet(scaleSet.id);
    await remember(memory, noted, rest(hosts, present));
    log.info('the scale set of jobs mode is deleted', { scaleSet: scaleSet.id });
  } catch (error) {
    log.error('the scale set of jobs mode is left at the platform; it is tried again', failureFields(error));
  }
}

/** Memory of a jobs mode without a scale set: its hosts that are still in the group. */
function rest(hosts: HostNotes = {}, present: ReadonlySet<string>): JobsMemory | undefined {
  const left = Object.entries(hosts).filter(([name]) => present.has(name));
  return left.length === 0 ? undefined : { hosts: Object.fromEntries(left) };
}

/** A deployment back to jobs mode may have begun meanwhile: what its windows have noted stays. */
async function remember(memory: FleetMemory, before: JobsMemory, next: JobsMemory | undefined): Promise<void> {
  if (isDeepStrictEqual(next, before)) return;
  await memory.update((state) => {
    if (!isDeepStrictEqual(state.jobs, before)) return state;
    const { jobs: _, actionsService, ...others } = state;
    return {
      ...others,
      ...(next === undefined ? {} : { jobs: next }),
      ...(next?.scaleSet === undefined || actionsService === undefined ? {} : { actionsService }),
    };
  });
}

/** Removes the runners that have no job. */
async function withoutRunners(
  { clock, runners }: { readonly clock: Clock; readonly runners: ScaleSetRunners },
  scaleSetId: number,
  known: HostNotes = {},
): Promise<HostNotes> {
  const hosts = { ...known };
  const left = Object.entries(known).filter(([, { unknownSince }]) => unknownSince === undefined);
  for (const [name, note] of left.slice(0, mostOfEach)) {
    const runnerId = (await runners.serves(name, scaleSetId)) ? await runners.find(name) : undefined;
    if (runnerId === undefined || (await runners.remove(runnerId)) === 'removed')
      hosts[name] = { ...note, unknownSince: clock.now() };
  }
  return hosts;
}
