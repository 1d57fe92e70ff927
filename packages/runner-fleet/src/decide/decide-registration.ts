import type { TokenSecretFacts } from '../model/fleet.ts';

/** Facts of the registration function about one instance in a launch wait. */
export interface RegistrationFacts {
  readonly secret: TokenSecretFacts | undefined;
  readonly inWarmPool: boolean;
  /** The event says that the instance was just launched, so it cannot have a runner yet. */
  readonly freshLaunch: boolean;
}

/** `complete`: the token is stored, or the runner exists already (it comes from the warm pool). */
export type RegistrationStep =
  | { readonly kind: 'complete'; readonly because: 'token-stored' | 'runner-exists' | 'parked' }
  | { readonly kind: 'mint'; readonly because: 'no-token' | 'token-too-old' | 'runner-forgotten' };

/** In jobs mode. `discard`: the next pass makes another one. */
export type JitStep =
  | RegistrationStep
  | { readonly kind: 'wait'; readonly because: 'another-run-makes-it' }
  | { readonly kind: 'discard'; readonly because: 'token-too-old' | 'claim-abandoned' };

export type RegistrationDecision =
  | RegistrationStep
  /** The platform has to be asked for the runner, and then the step follows. */
  | { readonly kind: 'find-runner'; readonly ifExists: RegistrationStep; readonly ifAbsent: RegistrationStep };

/** A registration token lives an hour; one that may expire before it is used is minted again. */
export const tokenFreshMs = 50 * 60_000;

/** Whether an instance needs a token. Pure. */
export function decideRegistration(facts: RegistrationFacts, now: number): RegistrationDecision {
  const { secret, freshLaunch, inWarmPool } = facts;
  if (secret !== undefined && now - secret.storedAt < tokenFreshMs)
    return { kind: 'complete', because: 'token-stored' };
  const withoutToken = secret === undefined ? 'no-token' : 'token-too-old';
  if (freshLaunch) return { kind: 'mint', because: withoutToken };
  return {
    kind: 'find-runner',
    ifExists: { kind: 'complete', because: 'runner-exists' },
    ifAbsent: { kind: 'mint', because: secret === undefined && !inWarmPool ? 'runner-forgotten' : withoutToken },
  };
}

/** In jobs mode. Where there is no secret only the hook knows whether the instance has had its configuration. */
export type JitDecision = JitStep | { readonly kind: 'ask-hook'; readonly ifOpen: JitStep; readonly ifDone: JitStep };

/**
 * Longer than the function may run: an invocation that claimed a secret this long ago is dead, and its configuration is
 * lost.
 */
export const claimLastsMs = 75_000;

/**
 * Whether an instance needs a just-in-time configuration: not before it leaves the warm pool, and one only. Making another takes the
 * first one's runner away, so who makes it claims the secret before. Pure.
 */
export function decideJit(
  { secret, parked }: Pick<RegistrationFacts, 'secret'> & { readonly parked: boolean },
  now: number,
): JitDecision {
  if (parked) return { kind: 'complete', because: 'parked' };
  const ifDone = { kind: 'complete', because: 'runner-exists' } as const;
  if (secret === undefined) return { kind: 'ask-hook', ifOpen: { kind: 'mint', because: 'no-token' }, ifDone };
  const ageMs = now - secret.storedAt;
  if (secret.empty === true && ageMs < claimLastsMs) return { kind: 'wait', because: 'another-run-makes-it' };
  if (secret.empty !== true && ageMs < tokenFreshMs) return { kind: 'complete', because: 'token-stored' };
  const because = secret.empty === true ? 'claim-abandoned' : 'token-too-old';
  return { kind: 'ask-hook', ifOpen: { kind: 'discard', because }, ifDone };
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
