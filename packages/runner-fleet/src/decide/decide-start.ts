/** What the agent knows before the runner service may start. */
export interface StartFacts {
  /** As Auto Scaling says now; the metadata's target state is `InService` long before the instance is. */
  readonly lifecycleState: string | undefined;
  /** A registration token waits for this instance: the platform does not know its runner (any more). */
  readonly tokenWaits: boolean;
  readonly configured: boolean;
  /** Hook `bootstrap` was completed in this launch wait. */
  readonly bootstrapCompleted: boolean;
}

export type StartDecision =
  | { readonly kind: 'register'; readonly because: 'token-waits' }
  | { readonly kind: 'complete-bootstrap'; readonly because: 'registered' }
  | { readonly kind: 'start-service'; readonly because: 'in-service' }
  | { readonly kind: 'wait'; readonly because: 'no-token-yet' | `lifecycle-state-${string}` };

/**
 * The start gate. The registration function stores a token before it completes its hook, and `InService` needs both
 * hooks: looking for a token once more when in service leaves no moment in which a forgotten runner could start.
 */
export function decideStart(facts: StartFacts): StartDecision {
  const { lifecycleState, tokenWaits, configured } = facts;
  const launching = lifecycleState === 'Pending:Wait' || lifecycleState === 'Warmed:Pending:Wait';
  if (tokenWaits && (launching || lifecycleState === 'InService')) return { kind: 'register', because: 'token-waits' };
  if (launching && configured && !facts.bootstrapCompleted)
    return { kind: 'complete-bootstrap', because: 'registered' };
  if (lifecycleState === 'InService' && configured) return { kind: 'start-service', because: 'in-service' };
  return { kind: 'wait', because: configured ? `lifecycle-state-${lifecycleState ?? 'unknown'}` : 'no-token-yet' };
}
