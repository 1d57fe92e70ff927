import type { SecretVersion } from '../ports.ts';

/** The state of a password change. The secret's version stages are its only memory. */
export interface PasswdFacts {
  readonly current: Pick<SecretVersion, 'id' | 'value'> | undefined;
  readonly pending: Pick<SecretVersion, 'id' | 'value'> | undefined;
  /** Whether the pending password already lets the user in. */
  readonly pendingLetsIn: boolean;
  /** This run has given the pending password to Elasticsearch. */
  readonly changed: boolean;
  /** This run has promoted a version. */
  readonly promoted: boolean;
}

export type PasswdStep = 'write-pending' | 'change-in-elasticsearch' | 'promote' | 'done';

/**
 * The next step of the transaction. At every moment one of the two versions lets the user in; a run that finds it half
 * done goes on where it stopped. The first version of an empty secret is current as soon as it is stored: then it is
 * pending and current, and no login works. After a run that ended within its promotion it is both too, and lets the
 * user in.
 */
export function decidePasswd(facts: PasswdFacts): PasswdStep {
  if (facts.promoted) return 'done';
  if (facts.pending === undefined) return 'write-pending';
  if (!facts.pendingLetsIn) return 'change-in-elasticsearch';
  return facts.pending.id === facts.current?.id && !facts.changed ? 'write-pending' : 'promote';
}
