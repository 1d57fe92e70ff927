import { healthReader } from '@drover/adapters/search/health';
import { waitFor } from '@drover/core/wait';
import type { ClusterHealth } from '@drover/search-cluster';
import { isAtLeast } from '@drover/search-cluster/start-up';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit.ts';
import { keyValues } from '../render/table.ts';
import type { CommandInput } from '../tree/tree.ts';
import { printRendered } from './pass-through.ts';

/** An hour, as long as a drain; a script that wants less ends the command with `timeout`. */
const longestMs = 3_600_000;
const pauseMs = 2_000;
const path = '/_cluster/health';

type Wanted = 'green' | 'yellow' | undefined;

/** Prints the health, after waiting for a colour if asked to. */
export async function clusterHealth(context: Context, { options }: CommandInput<'cluster-health'>): Promise<number> {
  const wanted = options['wait-for'];
  const reached = wanted === undefined || (await waitForColour(context, wanted));
  const code = await printHealth(context, options['fail-unless']);
  if (reached) return code;
  context.log.error(`the cluster did not get ${wanted} in time`);
  return exitCodes.timedOut;
}

type Health = Readonly<Record<string, unknown>> & { readonly status: 'green' | 'yellow' | 'red' };

/** Prints the health in the wanted format; refuses when it is worse than `failUnless`. */
async function printHealth(context: Context, failUnless: Wanted): Promise<number> {
  const client = context.search({ monitoring: true });
  const { format, io } = context;
  const health =
    failUnless !== undefined || format === 'text' ? await client.json<Health>({ method: 'GET', path }) : undefined;
  if (format === 'text') await io.stdout.write(keyValues(health!));
  else await printRendered(context, client, path);
  if (failUnless === undefined || isAtLeast(health!.status, failUnless)) return exitCodes.done;
  context.log.error(`refused (not-${failUnless}): the cluster is ${health!.status}`);
  return exitCodes.refused;
}

/** Waits for a colour or a better one; returns whether it came in time. A cluster without a master counts as red. */
async function waitForColour(context: Context, wanted: 'green' | 'yellow'): Promise<boolean> {
  const reader = healthReader(context.search({ monitoring: true }));
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
