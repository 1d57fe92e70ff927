import { awaitedDeployments, groupSizes, growthNotes, roomNotes, spreadNotes } from '@drover/adapters/aws';
import { searchRoles } from '@drover/adapters/elasticsearch';
import { TerminalError } from '@drover/core';
import { keepRoom, spreadMasters } from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { hasStateBucket, stateBucket } from '../../facts.ts';

/** Called on the elected master: spreads the masters over the zones again, a step at each call. */
export const spreadIfCrowded = (context: Context): Promise<void> =>
  alone(context, 'spread-masters', async (run) => {
    const step = await spreadMasters({ ...run, instanceId: await context.metadata.instanceId() });
    if (step.kind === 'wait') context.log.info(`the masters are not spread over the zones now: ${step.because}`);
  });

/** Called on the elected master: gives groups whose disks are too full larger volumes or more nodes, a step at each call. */
export const growIfFull = (context: Context): Promise<void> =>
  alone(context, 'keep-room', async (run) => {
    const { waits, atMaximum } = (await keepRoom(run)) ?? { waits: [], atMaximum: [] };
    for (const wait of waits) context.log.info(wait);
    for (const group of atMaximum)
      context.log.warn(`the disks of ${group} are above the low watermark, and it may not grow any more`);
  });

async function alone(context: Context, lockName: string, act: (run: ElectedRun) => Promise<void>): Promise<void> {
  const { io } = context;
  if (!(await hasStateBucket(io.files))) return;
  const lock = await io.lock.acquire(lockName);
  if (lock === undefined) return;
  try {
    await act(await electedRun(context));
  } finally {
    await lock.release();
  }
}

type ElectedRun = Awaited<ReturnType<typeof electedRun>>;

async function electedRun(context: Context) {
  const { clients, roles } = await context.aws();
  const bucket = await stateBucket(context.io.files);
  const search = searchRoles(context.search());
  const { resourceName = (await search.topology.topology()).clusterName } = await context.facts();
  const spread = spreadNotes(clients, bucket);
  return {
    ...context.run,
    resourceName,
    search,
    instances: roles.instances,
    hook: roles.hook,
    sizes: groupSizes(clients),
    notes: spread,
    spread,
    room: roomNotes(clients, bucket),
    growth: growthNotes(clients, bucket),
    deployments: awaitedDeployments(clients, bucket, answersNobody),
    metrics: roles.metrics,
  };
}

/** A deployment is only looked at here. */
const answersNobody = () => Promise.reject(new TerminalError('only `node settle` responds to a deployment'));
