/** How far the instance's configuration has come in this launch: cloud-init with `post_runcmd`. */
export type BootProgress = 'running' | 'done' | 'failed';

/** The agent's facts before the runner service may start. */
export interface StartFacts {
  /** As Auto Scaling says now; the metadata's target state is `InService` long before the instance is. */
  readonly lifecycleState: string | undefined;
  /** A registration token waits for this instance: the platform does not know its runner (any more). */
  readonly tokenWaits: boolean;
  readonly configured: boolean;
  readonly boot: BootProgress;
  /** Hook `bootstrap` was completed in this launch wait. */
  readonly bootstrapCompleted: boolean;
  /** A listener that ended is not started again before this. */
  readonly notBefore: number;
  /** Jobs mode: the identity is valid for one job, so that an instance gets it when it leaves the warm pool. */
  readonly ephemeral: boolean;
}

export type StartDecision =
  | { readonly kind: 'abandon'; readonly because: 'boot-failed' }
  | { readonly kind: 'register'; readonly because: 'token-waits' }
  | { readonly kind: 'complete-bootstrap'; readonly because: 'ready' }
  | { readonly kind: 'start-service'; readonly because: 'in-service' }
  | {
      readonly kind: 'wait';
      readonly because: 'no-token-yet' | 'boot-not-done' | 'listener-ended-lately' | `lifecycle-state-${string}`;
    };

/**
 * The start gate. The registration function stores a token before it completes its hook, and `InService` needs both
 * hooks: looking for a token once more when in service leaves no moment in which a forgotten runner could start.
 */
export function decideStart(facts: StartFacts, now: number): StartDecision {
  const { lifecycleState, tokenWaits, configured } = facts;
  const launching = lifecycleState === 'Pending:Wait' || lifecycleState === 'Warmed:Pending:Wait';
  const inService = lifecycleState === 'InService';
  if (launching && facts.boot === 'failed') return { kind: 'abandon', because: 'boot-failed' };
  const needsIdentity = !(facts.ephemeral && lifecycleState === 'Warmed:Pending:Wait');
  if (needsIdentity && tokenWaits && (launching || inService)) return { kind: 'register', because: 'token-waits' };
  if (needsIdentity && !configured) return { kind: 'wait', because: 'no-token-yet' };
  if (launching && !facts.bootstrapCompleted)
    return facts.boot === 'done'
      ? { kind: 'complete-bootstrap', because: 'ready' }
      : { kind: 'wait', because: 'boot-not-done' };
  if (!inService) return { kind: 'wait', because: `lifecycle-state-${lifecycleState ?? 'unknown'}` };
  return now < facts.notBefore
    ? { kind: 'wait', because: 'listener-ended-lately' }
    : { kind: 'start-service', because: 'in-service' };
}

/** Time between two rounds before the runner service runs. */
export const gatePauseMs = 10_000;
/** Pauses before the first looks of an agent: on a baked image it is there before its registration is. */
export const firstGatePauses = [1_000, 1_000, 2_000, 3_000] as const;
/** Pauses before the first looks after hook `bootstrap` was completed: an instance is in service seconds later, and a job may wait for it. */
export const pausesAfterBootstrap = [1_000, 1_000, 2_000, 3_000] as const;
/** Looks at AWS at that pace until this many have led to nothing; then each pause is half as long again, up to the longest. */
const quickLooks = 6;
const longestGatePauseMs = 60_000;

/** How long after a look that led to nothing AWS is asked again: a hundred hosts that wait must not use up an account's limits. */
export const decideGatePause = (waits: number): number =>
  Math.min(longestGatePauseMs, gatePauseMs * 1.5 ** Math.max(0, waits - quickLooks));
