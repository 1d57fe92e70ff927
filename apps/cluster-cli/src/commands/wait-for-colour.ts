import { healthReader } from '@drover/adapters/elasticsearch';
import { TransientError } from '@drover/core/errors';
import { waitFor } from '@drover/core/wait';
import type { ClusterHealth } from '@drover/search-cluster';
import { isAtLeast } from '@drover/search-cluster/start-up';
import type { Context } from '../context.ts';

/** An hour, as long as a drain; a script that wants less ends the command with `timeout`. */
const longestMs = 3_600_000;
const pauseMs = 2_000;

/** Waits for a colour or a better one; returns whether it came in time. A cluster without a master counts as red. */
export async function waitForColour(context: Context, wanted: 'green' | 'yellow'): Promise<boolean> {
  const reader = healthReader(context.search({ monitoring: true }));
  const end = await waitFor<ClusterHealth, never, true>({
    ...context.run,
    deadlineAt: context.io.clock.now() + longestMs,
    gather: () => reader.health(),
    onGatherError: (error) => {
      if (!(error instanceof TransientError)) throw error;
      context.progress.show({ because: error.message });
    },
    decide: (health) =>
      isAtLeast(health.status, wanted)
        ? { kind: 'done', outcome: true }
        : { kind: 'wait', because: `the cluster is ${health.status}, ${health.unassignedShards} shards unassigned` },
    pauseMs: () => pauseMs,
  });
  return end.kind === 'done';
}
