import { type Clock, describeError, type Logger } from '@drover/core';
import type { OneJobFacts, RunnerLife } from '../decide/decide-finished.ts';
import { decideRestart, type ListenerEnd, refusedExit, wellAfterMs } from '../decide/decide-restart.ts';
import type { RunnerHost, ServiceStatus } from '../host-ports.ts';

interface ListenerPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly host: Pick<RunnerHost, 'isConfigured' | 'life' | 'noteLife' | 'registrationDeleted'>;
  readonly ephemeral: boolean;
}

/** The listener as this agent saw it: since when it runs, how often it ended in a row, when it may start again. */
export class ListenerWatch {
  since: number | undefined;
  ends = 0;
  notBefore: number | undefined;
  /** Jobs mode. The disk has it, too, unless it could not be written. */
  life: RunnerLife | undefined;
  registrationDeleted = false;
}

/** Notes how the listener is; in jobs mode returns how far its one job has come. */
export async function lookAtListener(
  ports: ListenerPorts,
  listener: ListenerWatch,
  service: ServiceStatus,
  workers: number,
): Promise<OneJobFacts | undefined> {
  const end = noteEnd(ports, listener, service);
  if (!ports.ephemeral) return undefined;
  const { host } = ports;
  listener.life ??= host.life();
  if (workers > 0 && listener.life !== 'served') noteJob(ports, listener);
  if (end?.by === 'exit' && end.status === refusedExit) listener.registrationDeleted = await host.registrationDeleted();
  const { life, registrationDeleted } = listener;
  return { life, configured: host.isConfigured(), registrationDeleted };
}

/** First the mark, then the start: a listener that was started is never taken for one that was not. */
export function noteStart({ host, ephemeral }: ListenerPorts, listener: ListenerWatch): void {
  if (!ephemeral) return;
  host.noteLife('started');
  listener.life = 'started';
  listener.registrationDeleted = false;
}

/** Where the disk is full, this agent knows it all the same. */
function noteJob({ host, log }: ListenerPorts, listener: ListenerWatch): void {
  listener.life = 'served';
  try {
    host.noteLife('served');
  } catch (error) {
    log.warn('that the job has begun could not be written down', { error: describeError(error) });
  }
}

/** Counts the ends of listeners and returns a new one. One that ended before this agent looked counts from now on. */
function noteEnd(
  { clock, log }: ListenerPorts,
  listener: ListenerWatch,
  { active, lastEnd }: ServiceStatus,
): ListenerEnd | undefined {
  const now = clock.now();
  if (active) {
    listener.since ??= now;
    listener.notBefore = undefined;
    return undefined;
  }
  // An end with code 0 may be forgotten already: then only the listener's absence shows it.
  const end = lastEnd ?? (listener.since === undefined ? undefined : { by: 'exit' as const, status: 0 });
  if (listener.notBefore !== undefined || end === undefined) return undefined;
  const ranWell = listener.since !== undefined && now - listener.since >= wellAfterMs;
  listener.ends = ranWell ? 1 : listener.ends + 1;
  const { meaning, pauseMs } = decideRestart(end, listener.ends);
  listener.notBefore = now + pauseMs;
  listener.since = undefined;
  // The usual end of a runner that serves one job is logged when its host is finished.
  if (listener.life !== 'served')
    log.warn('the listener has ended', { ...end, meaning, inARow: listener.ends, startAfterSeconds: pauseMs / 1000 });
  return end;
}
