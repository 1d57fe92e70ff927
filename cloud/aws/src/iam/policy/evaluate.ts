import type { RequestContext } from './context.ts';
import type { Policy, Statement } from './document.ts';
import { type Asker, type PrincipalMatch, stronger } from './principal.ts';

/** One question to a set of policies. */
export interface Question {
  /** In lower case. */
  readonly action: string;
  readonly resource: string;
  readonly context: RequestContext;
}

type Verdict = 'allow' | 'deny' | 'none';

/**
 * The verdict of a set of identity-based policies: a deny anywhere wins, then an allow anywhere, else there is none.
 */
export function judge(policies: readonly Policy[], question: Question): Verdict {
  let verdict: Verdict = 'none';
  for (const policy of policies)
    for (const statement of policy.statements) {
      if (statement.effect === 'Allow' && verdict === 'allow') continue;
      if (!applies(statement, question)) continue;
      if (statement.effect === 'Deny') return 'deny';
      verdict = 'allow';
    }
  return verdict;
}

export interface ResourceVerdict {
  readonly denied: boolean;
  /** The strongest way in which an allow names the asker. */
  readonly allowed: PrincipalMatch;
}

/** The verdict of a resource's own policy on one asker. */
export function judgeResourcePolicy(policy: Policy, question: Question, asker: Asker): ResourceVerdict {
  let allowed: PrincipalMatch = 'none';
  for (const statement of policy.statements) {
    const match = statement.principal?.match(asker) ?? 'none';
    if (match === 'none' || !applies(statement, question)) continue;
    if (statement.effect === 'Deny') return { denied: true, allowed: 'none' };
    allowed = stronger(allowed, match);
  }
  return { denied: false, allowed };
}

function applies(statement: Statement, { action, resource, context }: Question): boolean {
  if (statement.actions.some((pattern) => pattern.matches(action)) === statement.notActions) return false;
  if (!coversResource(statement, resource, context)) return false;
  return statement.conditions.every((condition) => condition.holds(context));
}

/** A `*` at the end of a part of an ARN may reach over colons: "IAM JSON policy elements: Resource". */
function coversResource({ resources, notResources }: Statement, resource: string, context: RequestContext): boolean {
  if (resources === undefined) return true;
  return resources.some((text) => text.resolve(context)?.matches(resource) === true) !== notResources;
}
