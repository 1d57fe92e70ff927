import { describeError, waitFor } from '@drover/core';
import { launchNoteTag } from '@drover/core/names/search-cluster';
import { checkReady } from '../../decide/launch/check-ready.ts';
import type { ClusterHealth } from '../../model/health.ts';
import type { AwaitedDeployments, ClusterHealthReader, InstanceTags } from '../../ports.ts';
import { attempt } from '../attempt.ts';
import { type Polling, polling } from '../poll-pause.ts';

export interface ReportReadyRun extends Polling {
  readonly health: ClusterHealthReader;
  readonly deployments: AwaitedDeployments;
  readonly tags: InstanceTags;
  readonly instanceId: string;
  onWarning(what: string): void;
}

/** The next run looks again; this only shortens the wait of a deployment whose last nodes are joining. */
const patienceMs = 5 * 60_000;

/**
 * Notifies a deployment that waits for it that the cluster is there. Meanwhile a master's observations are in a tag of
 * its own instance, where the function that ends the wait finds it: Elasticsearch cannot be reached from there.
 */
export async function reportReady(run: ReportReadyRun): Promise<'none' | 'waiting' | 'ready'> {
  const deployment = await run.deployments.read();
  if (deployment === undefined || deployment.answered || run.clock.now() >= deployment.deadlineAt) return 'none';
  let noted = '';
  const note = async (says: string) => {
    if (says === noted) return;
    noted = says;
    await attempt(run, 'the state of the cluster was not noted', () =>
      run.tags.set(run.instanceId, { [launchNoteTag]: says }),
    );
  };
  const end = await waitFor<ClusterHealth, { readonly kind: 'note'; readonly says: string }, string>({
    ...polling(run),
    deadlineAt: Math.min(deployment.deadlineAt, run.clock.now() + patienceMs),
    gather: () => run.health.health(),
    onGatherError: (error) => run.onWarning(describeError(error)),
    decide: (health) => {
      const { ready, says } = checkReady(health, deployment);
      if (ready) return { kind: 'done', outcome: says };
      return { kind: 'wait', because: says, actions: [{ kind: 'note', says }] };
    },
    apply: ({ says }) => note(says),
  });
  if (end.kind === 'timed-out') return 'waiting';
  await note(end.outcome);
  await run.deployments.answer(deployment);
  await run.deployments.write({ ...deployment, answered: true });
  return 'ready';
}
