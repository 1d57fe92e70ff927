import type { FleetInstance, GroupFacts, HostReport } from '../../model/fleet.ts';
import type { HostNote, HostState } from '../../model/jobs.ts';

export type HostNotes = Readonly<Record<string, HostNote>>;

/** A host that is well reports every five minutes, and each change at once. */
export const hostSilentMs = 12 * 60_000;

/**
 * Notes what each host is doing, and since when. Hosts that are gone stay until their runners are removed at the
 * service.
 */
export function noteHosts(
  known: HostNotes = {},
  group: GroupFacts,
  reports: ReadonlyMap<string, HostReport>,
  now: number,
): HostNotes {
  const notes: Record<string, HostNote> = {};
  const note = (id: string, is: HostState) => {
    const before = known[id];
    notes[id] = before?.is === is ? before : { is, since: now };
  };
  // A parked instance has no runner.
  for (const instance of group.instances)
    if (!instance.lifecycleState.startsWith('Warmed:'))
      note(instance.id, stateOf(instance, reports.get(instance.id), now));
  for (const id of Object.keys(known)) if (notes[id] === undefined) note(id, 'gone');
  return notes;
}

export const isOfIdleMode = (report: HostReport | undefined): boolean => report?.mode === 'idle';

function stateOf({ lifecycleState }: FleetInstance, report: HostReport | undefined, now: number): HostState {
  if (report?.phase === 'failed') return 'leaving';
  if (lifecycleState.startsWith('Pending')) return 'booting';
  // One that was made for idle mode takes none of our jobs, and leaves in the roll-out.
  if (lifecycleState !== 'InService' || isOfIdleMode(report)) return 'leaving';
  if (report === undefined || report.phase === 'booting' || report.phase === 'registering') return 'starting';
  if (report.phase === 'finished') return 'finished';
  if (now - report.at >= hostSilentMs) return 'silent';
  if (report.workers > 0) return 'busy';
  if (report.phase !== 'serving') return 'stopped';
  return report.listening === false ? 'starting' : 'idle';
}
