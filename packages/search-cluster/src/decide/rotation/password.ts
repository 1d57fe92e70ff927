import { dayMs } from '@drover/core';
import type { SecretVersion } from '../../ports.ts';

type Version = Pick<SecretVersion, 'id' | 'createdAt'>;

export interface PasswordFacts {
  readonly current: Version;
  readonly pending: Version | undefined;
  /** Whether the pending password already lets the user in. */
  readonly pendingLetsIn: boolean;
  /** Undefined: never by itself. */
  readonly everyDays: number | undefined;
}

export type PasswordStep = 'announce' | 'change' | 'promote' | 'none';

/** Time for which a new password can be read as AWSPENDING before it is the one that lets in. */
export const announcedMs = dayMs;

/**
 * The next step with a password that is replaced by itself. A new one is announced by being stored as AWSPENDING; a day
 * later Elasticsearch gets it, and it is current a moment after. A `passwd` that died is finished in the same way.
 */
export function decidePassword(
  { current, pending, pendingLetsIn, everyDays }: PasswordFacts,
  now: number,
): PasswordStep {
  if (everyDays === undefined) return 'none';
  if (pending === undefined) return now - current.createdAt >= everyDays * dayMs ? 'announce' : 'none';
  if (pendingLetsIn) return 'promote';
  return now - pending.createdAt >= announcedMs ? 'change' : 'none';
}
