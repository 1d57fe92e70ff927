import { invalidValue, tooManyRequests } from '../errors.ts';
import type { LambdaFunction } from '../model.ts';

/** Concurrent executions that must stay free for functions without a reservation. */
const leastUnreserved = 100;

/** (Developer Guide, "Understanding Lambda function scaling", "Configuring reserved concurrency for a function".) */
export class Concurrency {
  /** The account's quota. @default 1000 */
  limit = 1_000;
  readonly #functions: ReadonlyMap<string, LambdaFunction>;

  constructor(functions: ReadonlyMap<string, LambdaFunction>) {
    this.#functions = functions;
  }

  /** Takes one of the places, or throws as a throttled call does. */
  take(fn: LambdaFunction): void {
    const reserved = fn.reservedConcurrency;
    if (reserved !== undefined ? fn.running >= reserved : this.#unreservedRunning() >= this.#unreservedLimit())
      throw tooManyRequests(reserved !== undefined);
    fn.running += 1;
  }

  giveBack(fn: LambdaFunction): void {
    fn.running -= 1;
  }

  get running(): number {
    return this.#sum((fn) => fn.running);
  }

  reserve(fn: LambdaFunction, places: number): void {
    const others = this.#sum((other) => (other === fn ? 0 : (other.reservedConcurrency ?? 0)));
    if (this.limit - others - places < leastUnreserved)
      throw invalidValue(
        `Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [${leastUnreserved}].`,
      );
    fn.reservedConcurrency = places;
  }

  #unreservedLimit(): number {
    return this.limit - this.#sum((fn) => fn.reservedConcurrency ?? 0);
  }

  #unreservedRunning(): number {
    return this.#sum((fn) => (fn.reservedConcurrency === undefined ? fn.running : 0));
  }

  #sum(measure: (fn: LambdaFunction) => number): number {
    let total = 0;
    for (const fn of this.#functions.values()) total += measure(fn);
    return total;
  }
}
