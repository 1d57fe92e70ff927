import type { DrainOrder } from '@drover/runner-fleet';

/** The order of `runner-agent drain` to the running agent. On a file system that a reboot empties. */
export const drainOrderFile = '/run/runner-agent/drain.json';

/** Adds a remote command to the present order; a repeated one keeps its first time. */
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
