import type { Clock, Logger } from '@drover/core';
import type { DemandService, ScaleSetRunners } from '../../jobs-ports.ts';
import type { FleetMemory } from '../../ports.ts';
import { failureFields } from '../failure-fields.ts';

export interface LeftScaleSetPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly memory: FleetMemory;
  /** Made when they are needed: a fleet that was never in jobs mode has no connection to the Actions service. */
  service(): {
    readonly service: Pick<DemandService, 'connect' | 'closeSession' | 'deleteScaleSet'>;
    readonly runners: ScaleSetRunners;
  };
}

/** Bounded work in a pass; the rest follows in the next one. */
const mostOfEach = 50;

const keepHosts = (memory: FleetMemory, names: ReadonlySet<string>) =>
  memory.update(({ jobs, ...state }) => ({
    ...state,
    jobs: {
      ...jobs,
      hosts: Object.fromEntries(Object.entries(jobs?.hosts ?? {}).filter(([name]) => names.has(name))),
    },
  }));

/**
 * In idle mode: the scale set of the jobs mode before is closed once none of its runners has a job. The function that owned it is gone, and
 * jobs would wait for it. Whatever fails is tried again in the next minute.
 */
export async function closeLeftScaleSet(ports: LeftScaleSetPorts): Promise<void> {
  const { clock, log, memory } = ports;
  const { scaleSet, sessionId, lease, hosts = {} } = (await memory.read()).jobs ?? {};
  // The last window of the demand may still be open.
  if (scaleSet === undefined || (lease?.until ?? 0) > clock.now()) return;
  const { service, runners } = ports.service();
  try {
    await service.connect();
    const left = new Set(Object.keys(hosts));
    for (const name of [...left].slice(0, mostOfEach)) {
      const runnerId = (await runners.serves(name, scaleSet.id)) ? await runners.find(name) : undefined;
      if (runnerId === undefined || (await runners.remove(runnerId)) === 'removed') left.delete(name);
    }
    if (left.size < Object.keys(hosts).length) await keepHosts(memory, left);
    if (left.size > 0)
      return log.info('the scale set of jobs mode stays until its last jobs are over', { runners: [...left] });
    if (sessionId !== undefined) await service.closeSession(scaleSet.id, sessionId);
    await service.deleteScaleSet(scaleSet.id);
    await memory.update(({ jobs: _, actionsService: __, ...state }) => state);
    log.info('the scale set of jobs mode is deleted', { scaleSet: scaleSet.id });
  } catch (error) {
    log.error('the scale set of jobs mode is left at the platform; it is tried again', failureFields(error));
  }
}
