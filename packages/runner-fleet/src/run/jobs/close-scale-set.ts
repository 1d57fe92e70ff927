import type { DemandPorts } from '../../jobs-ports.ts';
import type { Window } from './take-lease.ts';

/** The fleet may have no instance and has none: the last runners, the session and the scale set go. The next window goes on where one ends. */
export async function closeScaleSet({ service, runners, log }: DemandPorts, window: Window): Promise<void> {
  const { hosts = {}, scaleSet, sessionId } = window.jobs;
  await service.connect();
  for (const name of Object.keys(hosts)) {
    const runnerId = await runners.find(name);
    if (runnerId !== undefined && (await runners.remove(runnerId)) === 'busy')
      return log.warn('a runner without an instance has a job until the service gives it up', { runner: name });
  }
  const scaleSetId = scaleSet?.id ?? (await service.findScaleSet())?.id;
  if (scaleSetId === undefined) return;
  if (sessionId !== undefined) await service.closeSession(scaleSetId, sessionId);
  await service.deleteScaleSet(scaleSetId);
  await window.write(({ lease }) => (lease === undefined ? {} : { lease }));
  log.info('the scale set is deleted', { scaleSet: scaleSetId });
}
