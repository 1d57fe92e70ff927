import type { Engine, FaultEffect } from '@drover/cloud-engine';

/** The ways to GitHub that are no HTTP route; a fault rule names them as its operation. */
export type InnerOperation =
  | 'dispatch'
  /** The service that gives a runner its tokens. */
  | 'token'
  | 'connect'
  | 'message'
  | 'acknowledge'
  | 'acquirejob'
  | 'renewjob'
  | 'completejob';

/**
 * How a service is away, which decides how long its clients try. `refused`: no connection (error with the code ECONNREFUSED). `unavailable`: its front
 * says 502, 503 or 504. `error`: 500. `no-answer`: a black hole.
 */
export type Away = 'refused' | 'unavailable' | 'error' | 'no-answer';

/**
 * The service's response to a request of the runner software. `gone`: there is no such job for this runner (404, 409,
 * 422).
 */
export type ServiceAnswer = 'ok' | 'gone' | Away;

export const isAway = (answer: ServiceAnswer): answer is Away => answer !== 'ok' && answer !== 'gone';

/** While GitHub is down it looks again after this. */
export const outageRetryMs = 30_000;

/**
 * A fault rule for service `platform` without an operation is an outage of everything: the API, the connections of
 * listeners, the dispatch of jobs.
 */
export class Outage {
  readonly #engine: Engine;
  #waiting = new Set<InnerOperation>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  strikes(operation: InnerOperation): boolean {
    const point = { service: 'platform', operation };
    return this.#engine.faults.strike(point, ['error', 'timeout']) !== undefined;
  }

  /** The effect of a fault on one request; `ok` without one. A refusal (4xx) is a response too. */
  answer(operation: InnerOperation): ServiceAnswer {
    const effect = this.#engine.faults.strike({ service: 'platform', operation }, ['error', 'timeout']);
    if (effect === undefined) return 'ok';
    return effect.kind === 'error' && (effect.status ?? 502) < 500 ? 'gone' : howAway(effect);
  }

  /** How the service is away while an outage lasts, and the status of its front; it is neither struck nor journalled. */
  away(operation: InnerOperation): { readonly how: Away; readonly status: number } {
    const effect = this.#engine.faults.lasting({ service: 'platform', operation }, ['error', 'timeout']);
    const status = effect?.kind === 'error' ? (effect.status ?? 502) : 502;
    return { how: effect === undefined ? 'unavailable' : howAway(effect), status };
  }

  /** Whether every such request fails now: a rule without chance, number or times. It is neither struck nor journalled. */
  lasts(operation: InnerOperation): boolean {
    return this.#engine.faults.lasts({ service: 'platform', operation }, ['error', 'timeout']);
  }

  /** How much longer an inner operation takes now. */
  slowsByMs(operation: InnerOperation): number {
    return this.#engine.faults.strike({ service: 'platform', operation }, ['slow'])?.ms ?? 0;
  }

  /** Runs `act` once the pause is over; asked again meanwhile, it still runs only once. */
  retryOnce(operation: InnerOperation, act: () => void): void {
    if (this.#waiting.has(operation)) return;
    this.#waiting.add(operation);
    this.#engine.clock.after(outageRetryMs, () => {
      this.#waiting.delete(operation);
      act();
    });
  }
}

function howAway(effect: Extract<FaultEffect, { kind: 'error' | 'timeout' }>): Away {
  if (effect.kind === 'timeout') return 'no-answer';
  if (effect.code === 'ECONNREFUSED') return 'refused';
  return effect.status === 500 ? 'error' : 'unavailable';
}
