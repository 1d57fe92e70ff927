import type { Logger } from '@drover/core';
import { hooks } from '@drover/core/names/runner-fleet';
import { type AbandonDecision, decideAbandon } from '../decide/decide-abandon.ts';
import type { OwnPlace } from '../host-ports.ts';

export interface AbandonPorts {
  readonly log: Logger;
  readonly place: Pick<OwnPlace, 'lifecycleState' | 'completeHook'>;
}

/** Gives this instance's launch up for a fault of the host: hook `bootstrap` ends with ABANDON and the group replaces it. */
export async function abandonLaunch({ log, place }: AbandonPorts, reason: string): Promise<AbandonDecision> {
  const lifecycleState = await place.lifecycleState().catch(() => undefined);
  const decision = decideAbandon(lifecycleState);
  if (decision.kind === 'refusal') return decision;
  await place.completeHook(hooks.bootstrap.name, 'ABANDON');
  log.error('the launch is given up; the group replaces this instance', { reason });
  return decision;
}
