import type { Logger } from '@drover/core';
import { hooks } from '@drover/core/names/runner-fleet';
import { decideGiveUp, type GiveUpDecision } from '../decide/decide-give-up.ts';
import type { OwnPlace } from '../host-ports.ts';

export interface AbandonPorts {
  readonly log: Logger;
  readonly place: Pick<OwnPlace, 'lifecycleState' | 'completeHook'>;
}

/** Gives this instance's launch up for a fault of the host: hook `bootstrap` ends with ABANDON and the group replaces it. */
export async function abandonLaunch({ log, place }: AbandonPorts, reason: string): Promise<GiveUpDecision> {
  const lifecycleState = await place.lifecycleState().catch(() => undefined);
  const decision = decideGiveUp(lifecycleState);
  if (decision.kind === 'refusal') return decision;
  await place.completeHook(hooks.bootstrap.name, 'ABANDON');
  log.error('the launch is given up; the group replaces this instance', { reason });
  return decision;
}
