import type { Clock } from './clock.ts';

/** The result of a decision in a wait: go on waiting, or the end with its outcome. */
export type WaitStep<Action, Outcome> =
  | { readonly kind: 'wait'; readonly because: string; readonly actions?: readonly Action[] }
  | { readonly kind: 'done'; readonly outcome: Outcome; readonly actions?: readonly Action[] };

export interface Wait<Facts, Action, Outcome> {
  readonly clock: Clock;
  /** Reads the world; a failure here ends the wait unless `onGatherError` says how to go on. */
  gather(): Promise<Facts>;
  /** Pure: what the facts mean now. `round` counts from 0. */
  decide(facts: Facts, now: number, round: number): WaitStep<Action, Outcome>;
  apply?(action: Action, facts: Facts): Promise<void>;
  /** Time between two rounds. */
  pauseMs(round: number): number;
  /** No round starts after this moment. */
  readonly deadlineAt: number;
  /** Called after each round that ends in waiting. */
  onWait?(because: string, facts: Facts, round: number): void;
  onGatherError?(error: unknown, round: number): void;
  readonly signal?: AbortSignal;
}

export type WaitEnd<Outcome> =
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | { readonly kind: 'timed-out'; readonly because: string };

/** The one waiting loop of all commands: gather, decide, apply, sleep; bounded by a deadline, safe to start again. */
export async function waitFor<Facts, Action, Outcome>(wait: Wait<Facts, Action, Outcome>): Promise<WaitEnd<Outcome>> {
  let because = 'nothing was read yet';
  for (let round = 0; ; round++) {
    wait.signal?.throwIfAborted();
    const step = await oneRound(wait, round);
    if (step?.kind === 'done') return { kind: 'done', outcome: step.outcome };
    because = step?.because ?? because;
    const leftMs = wait.deadlineAt - wait.clock.now();
    if (leftMs <= 0) return { kind: 'timed-out', because };
    await wait.clock.sleep(Math.min(wait.pauseMs(round), leftMs), wait.signal);
  }
}

async function oneRound<Facts, Action, Outcome>(
  wait: Wait<Facts, Action, Outcome>,
  round: number,
): Promise<WaitStep<Action, Outcome> | undefined> {
  let facts: Facts;
  try {
    facts = await wait.gather();
  } catch (error) {
    if (wait.onGatherError === undefined) throw error;
    wait.onGatherError(error, round);
    return undefined;
  }
  const step = wait.decide(facts, wait.clock.now(), round);
  for (const action of step.actions ?? []) await wait.apply?.(action, facts);
  if (step.kind === 'wait') wait.onWait?.(step.because, facts, round);
  return step;
}
