import type { SecretVersion } from '../ports.ts';

/** Where a password change stands. The secret's version stages are its only memory. */
export interface PasswdFacts {
  readonly current: SecretVersion | undefined;
  readonly pending: SecretVersion | undefined;
  /** Whether the pending password already lets the user in. */
  readonly pendingLetsIn: boolean;
  /** This run has promoted a version. */
  readonly promoted: boolean;
}

export type PasswdStep = 'write-pending' | 'change-in-elasticsearch' | 'promote' | 'done';

/**
 * The next step of the transaction. At every moment one of the two versions lets the user in; whoever finds it half done
 * goes on where it stopped.
 */
export function decidePasswd(facts: PasswdFacts): PasswdStep {
  if (facts.promoted) return 'done';
  if (facts.pending === undefined || facts.pending.id === facts.current?.id) return 'write-pending';
  return facts.pendingLetsIn ? 'promote' : 'change-in-elasticsearch';
}
