import { awaitedDeployments, groupSizes, spreadNotes } from '@drover/adapters/aws';
import { searchRoles } from '@drover/adapters/elasticsearch';
import { TerminalError } from '@drover/core';
import { spreadMasters } from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { hasStateBucket, stateBucket } from '../../facts.ts';

/** Called on the elected master: spreads the masters over the zones again, a step at each call. */
export async function spreadIfCrowded(context: Context): Promise<void> {
  const { io } = context;
  if (!(await hasStateBucket(io.files))) return;
  const lock = await io.lock.acquire('spread-masters');
  if (lock === undefined) return;
  try {
    const { clients, roles } = await context.aws();
    const bucket = await stateBucket(io.files);
    const search = searchRoles(context.search());
    const { resourceName = (await search.topology.topology()).clusterName } = await context.facts();
    const step = await spreadMasters({
      ...context.run,
      resourceName,
      instanceId: await context.metadata.instanceId(),
      search,
      instances: roles.instances,
      hook: roles.hook,
      sizes: groupSizes(clients),
      notes: spreadNotes(clients, bucket),
      deployments: awaitedDeployments(clients, bucket, answersNobody),
      metrics: roles.metrics,
    });
    if (step.kind === 'wait') context.log.info(`the masters are not spread over the zones now: ${step.because}`);
  } finally {
    await lock.release();
  }
}

/** A deployment is only looked at here. */
const answersNobody = () => Promise.reject(new TerminalError('only `node settle` responds to a deployment'));
