import type { DrainOrder } from '@drover/runner-fleet';

/** Where `runner-agent drain` leaves its order for the running agent. On a file system that a reboot empties. */
export const drainOrderFile = '/run/runner-agent/drain.json';

/** Adds what a remote command says to the present order; what is said twice keeps its first time. */
export function addToOrder(
  standing: DrainOrder | undefined,
  said: { readonly removed?: boolean; readonly platformUnreachable?: boolean },
  now: number,
): DrainOrder {
  const removedAt = standing?.removedAt ?? (said.removed === true ? now : undefined);
  const unreachableAt = standing?.unreachableAt ?? (said.platformUnreachable === true ? now : undefined);
  return {
    at: standing?.at ?? now,
    ...(removedAt === undefined ? {} : { removedAt }),
    ...(unreachableAt === undefined ? {} : { unreachableAt }),
  };
}

/** An order that cannot be read is an order to drain all the same. */
export function parseOrder(text: string | undefined): DrainOrder | undefined {
  if (text === undefined) return undefined;
  try {
    const order = JSON.parse(text) as Partial<DrainOrder>;
    return { ...order, at: order.at ?? 0 };
  } catch {
    return { at: 0 };
  }
}
