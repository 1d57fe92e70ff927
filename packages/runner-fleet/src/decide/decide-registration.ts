import type { FleetInstance, TokenSecretFacts } from '../model/fleet.ts';

/** What the registration function knows of one instance in a launch wait. */
export interface RegistrationFacts {
  readonly instance: FleetInstance;
  readonly secret: TokenSecretFacts | undefined;
  /** `unknown`: not asked, because a fresh launch cannot have a runner yet. */
  readonly runner: 'exists' | 'absent' | 'unknown';
}

export type RegistrationDecision =
  /** Nothing to mint: the token waits, or the runner exists already (it comes from the warm pool). */
  | { readonly kind: 'complete'; readonly because: 'token-stored' | 'runner-exists' }
  | { readonly kind: 'mint'; readonly because: 'no-token' | 'token-too-old' | 'runner-forgotten' };

/** A registration token lives an hour; one that may expire before it is used is minted again. */
export const tokenFreshMs = 50 * 60_000;

export function decideRegistration(facts: RegistrationFacts, now: number): RegistrationDecision {
  const { secret, runner, instance } = facts;
  if (secret !== undefined && now - secret.storedAt < tokenFreshMs)
    return { kind: 'complete', because: 'token-stored' };
  if (runner === 'exists') return { kind: 'complete', because: 'runner-exists' };
  if (secret !== undefined) return { kind: 'mint', because: 'token-too-old' };
  if (runner === 'absent' && instance.inWarmPool) return { kind: 'mint', because: 'no-token' };
  return { kind: 'mint', because: runner === 'absent' ? 'runner-forgotten' : 'no-token' };
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** AWS ends the wait by itself at 100 × 900 s = 25 h; we give up earlier, slowly, so that an outage never becomes a launch loop. */
export const giveUpAfterMs = 20 * hourMs;
export const abandonEveryMs = 15 * minuteMs;

/** The one instance that may be given up now: the one that waits longest, if it waits too long and none was given up lately. */
export function decideAbandon(
  waiting: readonly { readonly instanceId: string; readonly since: number }[],
  lastAbandonAt: number | undefined,
  now: number,
): string | undefined {
  if (lastAbandonAt !== undefined && now - lastAbandonAt < abandonEveryMs) return undefined;
  const tooLong = waiting.filter(({ since }) => now - since >= giveUpAfterMs);
  return tooLong.sort((a, b) => a.since - b.since)[0]?.instanceId;
}

/** When registration may be tried again: what the platform asked for, else one minute doubling up to a quarter of an hour. */
export function decideRetry(failures: number, retryAfterMs: number | undefined, now: number): number {
  const backOffMs = Math.min(minuteMs * 2 ** Math.min(failures, 10), 15 * minuteMs);
  return now + Math.max(retryAfterMs ?? 0, backOffMs) - minuteMs / 2;
}
