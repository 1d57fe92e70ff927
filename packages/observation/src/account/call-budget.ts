import type { Clock } from '@drover/core';
import type { OperatorClients } from '@drover/operator/io';

/** At most two calls a second, for the whole console: far below what AWS throttles, and the fleet's own calls come first. */
const betweenCallsMs = 500;

/** Lets calls through one after another: resolves when a call may be made. */
export function callBudget(clock: Clock): () => Promise<void> {
  let freeAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = clock.now();
    const at = Math.max(now, freeAt);
    freeAt = at + betweenCallsMs;
    if (at > now) await clock.sleep(at - now);
  };
}

interface Handler {
  handle(request: object, options?: object): Promise<unknown>;
}

/** The clients, with every request within the budget: also those that the SDK repeats, and those that are sent as the SDK would. */
export function withinBudget(clients: OperatorClients, take: () => Promise<void>): OperatorClients {
  for (const client of new Set(Object.values(clients)) as Iterable<{ readonly config: { requestHandler: Handler } }>) {
    const { requestHandler } = client.config;
    client.config.requestHandler = {
      ...requestHandler,
      handle: async (request, options) => {
        await take();
        return await requestHandler.handle(request, options);
      },
    };
  }
  return clients;
}
