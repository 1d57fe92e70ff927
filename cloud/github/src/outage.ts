import type { Engine } from '@drover/cloud-engine';

/** The ways to GitHub that are no HTTP route; a fault rule names them as its operation. */
export type InnerOperation =
  | 'dispatch'
  | 'connect'
  | 'message'
  | 'acknowledge'
  | 'acquirejob'
  | 'renewjob'
  | 'completejob';

/**
 * The service's response to a request of the runner software. `gone`: there is no such job for this runner (404, 409,
 * 422).
 */
export type ServiceAnswer = 'ok' | 'gone' | 'unreachable';

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
    return effect.kind === 'error' && (effect.status ?? 502) < 500 ? 'gone' : 'unreachable';
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
