import type { Clock } from '@drover/core';

/**
 * Waits until everything that this moment has begun so far is done. A request that is sent and served this way comes in
 * an order that does not depend on how much its sender's client does: a client that does less takes fewer ticks, and
 * would overtake what goes on elsewhere.
 */
export const turnOf = (clock: Clock): Promise<void> => clock.sleep(0);
