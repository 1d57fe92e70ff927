import { type Clock, describeError, type Logger } from '@drover/core';
import { hooks } from '@drover/core/names/runner-fleet';
import { decideGiveUp, type GiveUpDecision } from '../decide/decide-give-up.ts';
import type { OwnPlace, OwnToken } from '../host-ports.ts';

export interface AbandonPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly place: Pick<OwnPlace, 'lifecycleState' | 'completeHook' | 'report'>;
  readonly token: Pick<OwnToken, 'keepFailed'>;
}

/** Gives this instance's launch up for a fault of the host: hook `bootstrap` ends with ABANDON and the group replaces it. */
export async function abandonLaunch(ports: AbandonPorts, reason: string): Promise<GiveUpDecision> {
  const lifecycleState = await ports.place.lifecycleState().catch(() => undefined);
  const decision = decideGiveUp(lifecycleState);
  if (decision.kind === 'abandon') await endLaunch(ports, reason);
  return decision;
}

/**
 * Reports the failure, which the functions count, and ends the launch; while launches are braked the hook stays open instead and
 * ends the launch when its time is over. Whatever cannot be asked or written holds up nothing.
 */
export async function endLaunch(
  { clock, log, place, token }: AbandonPorts,
  reason: string,
): Promise<'abandoned' | 'kept'> {
  const failed = { at: clock.now(), phase: 'failed', workers: 0, failure: reason } as const;
  await place
    .report(failed)
    .catch((error: unknown) => log.warn('the report could not be written', { error: describeError(error) }));
  const kept = await token.keepFailed().catch(() => false);
  if (!kept) await place.completeHook(hooks.bootstrap.name, 'ABANDON');
  log.error(
    kept
      ? 'the boot failed; this instance is kept for inspection until its launch hook ends'
      : 'the launch is given up; the group replaces this instance',
    { reason },
  );
  return kept ? 'kept' : 'abandoned';
}
