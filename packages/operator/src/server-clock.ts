import { type Clock, RealClock } from '@drover/core';

/** Lets an SDK client set the clock to the time of the service. */
export interface ServerTime {
  readonly clock: Clock;
  /** A plugin for SDK clients. */
  readonly plugin: { applyToStack(stack: unknown): void };
}

type Next = (args: unknown) => Promise<{ readonly response?: unknown }>;
interface Middlewares {
  add(middleware: (next: Next) => Next, options: { step: string; name: string; override: boolean }): void;
}

/**
 * A clock that follows the `Date` of the service's responses: ages are measured by the time of the service's own
 * moments, even if this machine's clock is wrong or the cloud's time runs faster than ours.
 */
export function serverTime(): ServerTime {
  const own = new RealClock();
  let offsetMs = 0;
  const note = (response: unknown) => {
    const { headers = {} } = (response ?? {}) as { readonly headers?: Readonly<Record<string, string>> };
    const told = Date.parse(headers.date ?? '');
    if (!Number.isNaN(told)) offsetMs = told - own.now();
  };
  const follow =
    (next: Next): Next =>
    async (args) => {
      const result = await next(args);
      note(result.response);
      return result;
    };
  return {
    clock: {
      now: () => own.now() + offsetMs,
      after: (delayMs, act) => own.after(delayMs, act),
      sleep: (delayMs, signal) => own.sleep(delayMs, signal),
    },
    plugin: {
      applyToStack: (stack) =>
        (stack as Middlewares).add(follow, { step: 'deserialize', name: 'serverTime', override: true }),
    },
  };
}
