import type { SearchClient } from '@drover/adapters/search/client';
import { healthReader } from '@drover/adapters/search/health';
import { waitFor } from '@drover/core';
import { type ClusterHealth, type Colour, isAtLeast } from '@drover/search-cluster';
import type { Context } from '../context.ts';

/** An hour, as a drain; a script that wants less ends it with `timeout`. */
const longestMs = 3_600_000;
const pauseMs = 2_000;

/** Waits for a colour or a better one; answers whether it came in time. A cluster without master counts as red. */
export async function waitForColour(context: Context, client: SearchClient, wanted: Colour): Promise<boolean> {
  const reader = healthReader(client);
  const { clock, signal } = context.io;
  const end = await waitFor<ClusterHealth, never, true>({
    clock,
    signal,
    deadlineAt: clock.now() + longestMs,
    gather: () => reader.health(),
    onGatherError: (error) => {
      if (!(error instanceof Error) || error.name !== 'TransientError') throw error;
      context.progress.show({ because: error.message });
    },
    decide: (health) =>
      isAtLeast(health.status, wanted)
        ? { kind: 'done', outcome: true }
        : { kind: 'wait', because: `the cluster is ${health.status}, ${health.unassignedShards} shards unassigned` },
    onWait: (because) => context.progress.show({ because }),
    pauseMs: () => pauseMs,
  });
  return end.kind === 'done';
}
