import type { Policy } from './document.ts';
import { judge, judgeResourcePolicy, type Question, type ResourceVerdict } from './evaluate.ts';
import type { Asker } from './principal.ts';

/** Everything that may speak about one request inside one account. */
export interface Facts {
  readonly asker: Asker;
  readonly identity: readonly Policy[];
  /** Grants nothing; what it does not allow stays forbidden. */
  readonly boundary?: Policy;
  /** The policy handed over when the role was assumed; limits like a boundary. */
  readonly session?: Policy;
  readonly resource?: ResourcePolicy;
}

interface ResourcePolicy {
  readonly policy: Policy;
  /**
   * Whether the resource's policy alone opens the door: identity-based policies count only as far as it names the
   * account. So it is for KMS keys and for the trust policies of roles; other services leave the account in charge.
   */
  readonly gatekeeper: boolean;
}

type PolicyType = 'identity-based policy' | 'resource-based policy' | 'permissions boundary' | 'session policy';

export type Decision =
  | { readonly allowed: true }
  /** `because` names the kind of policy that denies, or the one that does not allow. */
  | { readonly allowed: false; readonly explicit: boolean; readonly because: PolicyType };

const allow: Decision = { allowed: true };
const denied = (explicit: boolean, because: PolicyType): Decision => ({ allowed: false, explicit, because });
const silent: ResourceVerdict = { denied: false, allowed: 'none' };

/** "Policy evaluation for requests within a single account", IAM user guide. */
export function decide(facts: Facts, question: Question): Decision {
  const identity = judge(facts.identity, question);
  const resource = facts.resource && judgeResourcePolicy(facts.resource.policy, question, facts.asker);
  const boundary = facts.boundary && judge([facts.boundary], question);
  const session = facts.session && judge([facts.session], question);
  if (identity === 'deny') return denied(true, 'identity-based policy');
  if (resource?.denied) return denied(true, 'resource-based policy');
  if (boundary === 'deny') return denied(true, 'permissions boundary');
  if (session === 'deny') return denied(true, 'session policy');

  const { allowed } = resource ?? silent;
  if (allowed === 'direct') return allow;
  if (facts.resource?.gatekeeper && allowed === 'none') return denied(false, 'resource-based policy');
  if (allowed !== 'role' && identity !== 'allow') return denied(false, 'identity-based policy');
  if (boundary === 'none') return denied(false, 'permissions boundary');
  if (session === 'none') return denied(false, 'session policy');
  return allow;
}
