import { type Refusal, refuse } from '@drover/core';

export type GiveUpDecision = { readonly kind: 'abandon' } | Refusal<'not-launching'>;

/**
 * Whether this launch can still be given up. A state that could not be read does not stop it: Auto Scaling itself
 * refuses to complete a hook that is not open.
 */
export function decideGiveUp(lifecycleState: string | undefined): GiveUpDecision {
  const launching = lifecycleState === undefined || /^(Warmed:)?Pending(:|$)/.test(lifecycleState);
  if (launching) return { kind: 'abandon' };
  return refuse(
    'not-launching',
    `the instance is ${lifecycleState}, so there is no launch to give up`,
    'use `runner-agent drain` to take a runner out of service',
  );
}
