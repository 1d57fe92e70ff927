import type { Clock } from '@drover/core';
import type { OperatorClients } from '@drover/operator/io';

/** At most two calls a second, for the whole console: far below what AWS throttles, and the fleet's own calls come first. */
const betweenCallsMs = 500;

/** Lets calls through one after another. */
export class CallBudget {
  readonly #clock: Clock;
  #freeAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when a call may be made. */
  async take(): Promise<void> {
    const now = this.#clock.now();
    const at = Math.max(now, this.#freeAt);
    this.#freeAt = at + betweenCallsMs;
    if (at > now) await this.#clock.sleep(at - now);
  }
}

interface Handler {
  handle(request: object, options?: object): Promise<unknown>;
}

/** The clients, with every request within the budget: also those that the SDK repeats, and those that are sent as the SDK would. */
export function withinBudget(clients: OperatorClients, budget: CallBudget): OperatorClients {
  for (const client of new Set(Object.values(clients)) as Iterable<{ readonly config: { requestHandler: Handler } }>) {
    const { requestHandler } = client.config;
    client.config.requestHandler = {
      ...requestHandler,
      handle: async (request, options) => {
        await budget.take();
        return await requestHandler.handle(request, options);
      },
    };
  }
  return clients;
}
