import { TerminalError, TransientError } from '@drover/core';
import type { HostNotes } from '../../decide/jobs/note-hosts.ts';
import type { DemandPorts, DemandService, HeldSession, MessageSession, SessionConflict } from '../../jobs-ports.ts';
import { failureFields } from '../failure-fields.ts';
import type { Window } from './take-lease.ts';

/** From then on a conflict does not pass by itself. */
export const conflictsAreWrongAfter = 5;

/** Attaches to the fleet's session, or opens one. Undefined: another session holds the scale set, and the next window tries again. */
export async function holdSession(ports: DemandPorts, window: Window): Promise<HeldSession | undefined> {
  const { service } = ports;
  await service.connect();
  let scaleSetId = window.jobs.scaleSet?.id ?? (await settleScaleSet(ports, window));
  if (window.jobs.scaleSet?.asked !== service.asked) await update(ports, window, scaleSetId);
  const { sessionId } = window.jobs;
  const renewed = sessionId === undefined ? 'unknown' : await service.renewSession(scaleSetId, sessionId);
  if (renewed !== 'unknown') return await checked(ports, window, { scaleSetId, session: renewed });
  let opened = await service.openSession(scaleSetId);
  if (opened === 'scale-set-unknown') {
    scaleSetId = await settleScaleSet(ports, window);
    opened = await service.openSession(scaleSetId);
  }
  if (opened === 'scale-set-unknown')
    throw new TransientError(`the scale set ${ports.groupName} was deleted as soon as it was made`);
  if (isConflict(opened)) return await afterConflict(ports, window, scaleSetId, opened);
  const session = opened;
  await window.write(({ heldBy: _, ...jobs }) => ({ ...jobs, sessionId: session.id, conflicts: 0 }));
  return await checked(ports, window, { scaleSetId, session });
}

export const isConflict = (opened: MessageSession | SessionConflict): opened is SessionConflict => 'heldBy' in opened;

/**
 * Whether labels of a scale set can be changed is not known of every server: a refusal is logged, and nothing waits for
 * it.
 */
async function update({ service, log }: DemandPorts, window: Window, id: number): Promise<void> {
  try {
    await service.updateScaleSet(id);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    log.error('the labels or the group of the scale set could not be changed', failureFields(error));
  }
  await window.write((jobs) => ({ ...jobs, scaleSet: { ...jobs.scaleSet!, asked: service.asked } }));
}

/** The scale set by its name, or a new one. */
async function settleScaleSet({ service, log }: DemandPorts, window: Window): Promise<number> {
  const found = await service.findScaleSet();
  const { id, name } = found ?? (await service.createScaleSet());
  const before = window.jobs.scaleSet;
  const isOther = before !== undefined && before.id !== id;
  if (isOther)
    log.error('the scale set was gone from the service: another takes its place', { before: before.id, now: id });
  else log.info(found === undefined ? 'scale set created' : 'scale set found', { scaleSet: id });
  await window.write(({ sessionId: _, hosts, ...jobs }) => ({
    ...jobs,
    ...(hosts === undefined ? {} : { hosts: isOther ? askAnew(hosts) : hosts }),
    scaleSet: { id, name, ...(found === undefined ? { asked: service.asked } : {}) },
  }));
  return id;
}

/** Runners of the scale set before get no job any more: whose they are is asked again soon. */
const askAnew = (hosts: HostNotes): HostNotes =>
  Object.fromEntries(Object.entries(hosts).map(([id, { askedAt: _, ...note }]) => [id, note]));

/** The session that we know may be the one: it is closed, and the next window opens another. */
async function afterConflict(
  { service, log }: DemandPorts,
  window: Window,
  scaleSetId: number,
  { heldBy }: SessionConflict,
): Promise<undefined> {
  const { sessionId } = window.jobs;
  if (sessionId !== undefined) await service.closeSession(scaleSetId, sessionId);
  const conflicts = (window.jobs.conflicts ?? 0) + 1;
  const fields = { scaleSet: scaleSetId, windows: conflicts, owner: heldBy ?? 'not named' };
  if (conflicts < conflictsAreWrongAfter) log.warn('another session holds the scale set', fields);
  else
    log.error('another session holds the scale set and does not end', {
      ...fields,
      remedy: '`drover fleet doctor` says whose it is and what to do',
    });
  await window.write(({ sessionId: _, heldBy: _before, ...jobs }) => ({
    ...jobs,
    conflicts,
    ...(heldBy === undefined ? {} : { heldBy }),
  }));
}

/** A session without a queue is of no use; it is closed, or it would hold the scale set. */
async function checked({ service }: DemandPorts, window: Window, held: HeldSession): Promise<HeldSession> {
  const { session, scaleSetId } = held;
  if (session.queueUrl !== '') return held;
  await service.closeSession(scaleSetId, session.id);
  await window.write(({ sessionId: _, ...jobs }) => jobs);
  throw new TransientError('the service opened a session without the address of its queue');
}

/** Does what needs the queue's token; one that has expired is renewed once. */
export async function withToken<T>(
  service: Pick<DemandService, 'renewSession'>,
  held: HeldSession,
  act: (held: HeldSession) => Promise<T | 'token-expired'>,
): Promise<{ readonly held: HeldSession; readonly result: T }> {
  const first = await act(held);
  if (first !== 'token-expired') return { held, result: first as T };
  const session = await service.renewSession(held.scaleSetId, held.session.id);
  if (session === 'unknown') throw new TransientError('the session is over: the next window opens another');
  const again = { ...held, session };
  const second = await act(again);
  if (second === 'token-expired') throw new TransientError('the queue refuses a token that is new');
  return { held: again, result: second as T };
}
