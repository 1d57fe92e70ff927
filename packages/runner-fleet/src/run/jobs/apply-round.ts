import { noteBootFailures } from '../../decide/decide-brake.ts';
import { neverListened, type RoundAction, saysNoWorker, startDeadlineMs } from '../../decide/jobs/decide-round.ts';
import type { HostNotes } from '../../decide/jobs/note-hosts.ts';
import type { DemandPorts } from '../../jobs-ports.ts';
import type { HostReport } from '../../model/fleet.ts';
import type { HostNote } from '../../model/jobs.ts';
import { failureFields } from '../failure-fields.ts';
import { applySize, grow } from './apply-sizes.ts';

/** The scale set of a round, its groups, and what their hosts say. */
interface RoundPlace {
  readonly scaleSetId: number;
  /** The group has a fallback beside it. */
  readonly hasFallback: boolean;
  readonly reports: ReadonlyMap<string, HostReport>;
}

/** Carries out a round; returns what is known of the hosts then. One failing action does not keep the others from being done. */
export async function applyRound(
  ports: DemandPorts,
  actions: readonly RoundAction[],
  hosts: HostNotes,
  place: RoundPlace,
): Promise<HostNotes> {
  const notes: Record<string, HostNote> = { ...hosts };
  for (const action of actions) {
    try {
      await apply(ports, action, notes, place);
    } catch (error) {
      // The group's size is what jobs wait for: a window that cannot change it has failed.
      if (action.kind === 'set-desired') throw error;
      ports.log.error('an action failed; it is due again', { ...action, ...failureFields(error) });
    }
  }
  return notes;
}

async function apply(
  ports: DemandPorts,
  action: RoundAction,
  notes: Record<string, HostNote>,
  { scaleSetId, hasFallback, reports }: RoundPlace,
): Promise<void> {
  switch (action.kind) {
    case 'set-desired':
      return await (hasFallback ? applySize(ports, action, reports) : grow(ports, action.capacity));
    case 'terminate':
      return await terminate(ports, action);
    case 'remove-and-terminate':
      return (await mayGo(ports, action.instanceId, notes)) ? await terminate(ports, action) : undefined;
    case 'remove-runner': {
      if (await hasJob(ports, action.instanceId, notes)) return;
      delete notes[action.instanceId];
      return;
    }
    case 'ask-for-runner': {
      const askedAt = ports.clock.now();
      const { unknownSince = askedAt, ...note } = notes[action.instanceId]!;
      const known = await ports.runners.serves(action.instanceId, scaleSetId);
      notes[action.instanceId] = { ...note, askedAt, ...(known ? {} : { unknownSince }) };
    }
  }
}

async function terminate(
  { size, log, memory, clock }: DemandPorts,
  { instanceId, decrement, because }: RoundAction & { readonly kind: 'terminate' | 'remove-and-terminate' },
): Promise<void> {
  const outcome = await size.terminate(instanceId, decrement);
  log.info('an instance goes', { instance: instanceId, because, decrement, outcome });
  if (because !== neverListened) return;
  const at = clock.now();
  const reason = `in service for ${startDeadlineMs / 60_000} minutes without a listener`;
  await memory.update((state) => ({
    ...state,
    bootFailures: noteBootFailures(state.bootFailures, [{ instanceId, at, silentMs: startDeadlineMs, reason }], at),
  }));
}

/** The service refuses to remove a runner with a job; the host is asked again after that, for a job that came just before. */
async function mayGo(ports: DemandPorts, instanceId: string, notes: Record<string, HostNote>): Promise<boolean> {
  if (await hasJob(ports, instanceId, notes)) return false;
  const report = (await ports.reports.read([instanceId])).get(instanceId);
  return report === undefined || saysNoWorker(report);
}

/** Removes the runner at the service unless it has a job, which is noted. */
async function hasJob(ports: DemandPorts, instanceId: string, notes: Record<string, HostNote>): Promise<boolean> {
  if ((await removeRunner(ports, instanceId)) !== 'busy') return false;
  const note = notes[instanceId];
  if (note !== undefined) notes[instanceId] = { ...note, refusedAt: ports.clock.now() };
  return true;
}

async function removeRunner({ runners, log }: DemandPorts, instanceId: string): Promise<'removed' | 'absent' | 'busy'> {
  const runnerId = await runners.find(instanceId);
  const outcome = runnerId === undefined ? 'absent' : await runners.remove(runnerId);
  log.info('runner at the service', { instance: instanceId, outcome });
  return outcome;
}
