import { searchRoles } from '@drover/adapters/elasticsearch';
import { describeError, TerminalError, type WaitEnd } from '@drover/core';
import { restartNoteFile } from '@drover/core/names/search-cluster';
import {
  endLeftTraffic,
  type FinishOutcome,
  finishRestart,
  prepareRestart,
  type RestartOutcome,
  type RestartRun,
} from '@drover/search-cluster';
import type { NodeIdentity, RestartNotes } from '@drover/search-cluster/ports';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import type { CommandInput } from '../../tree/tree.ts';
import { ownMembers } from '../members.ts';
import { refused } from '../refused.ts';
import { ownTraffic } from './own-traffic.ts';

/** How long after its start a node may refuse every password. */
const securityStartsWithinMs = 10 * 60_000;

/** Stops the node of this host for a moment, its data in place. */
export async function prepareThisRestart(
  context: Context,
  { options }: CommandInput<'cluster prepare-restart'>,
): Promise<number> {
  const end = await prepareRestart(restartRun(context), {
    reason: options.reason,
    waitMs: options.waitUntilComplete * 1000,
    allowUnavailable: options.allowUnavailable,
    allowMissingReplicas: options.allowMissingReplicas,
  });
  return finish(context, end, 'the node is stopped: go on with cluster-cli cluster finish-restart');
}

/** Starts the node of this host again and waits until the cluster has it back. */
export async function finishThisRestart(
  context: Context,
  { options }: CommandInput<'cluster finish-restart'>,
): Promise<number> {
  const end = await finishRestart(restartRun(context), {
    waitMs: options.waitUntilComplete * 1000,
    allowMissingReplicas: options.allowMissingReplicas,
  });
  return finish(context, end, 'the node is back');
}

/** Ends what a restart has left that has no record any more; one that is under way is left alone. */
export async function endLeftRestart(context: Context): Promise<void> {
  const search = searchRoles(context.search({ securityStartsWithinMs }));
  try {
    if (await endLeftTraffic({ search, traffic: ownTraffic(context) }))
      context.log.info('the restart of this node is over: it is to get requests again');
  } catch (error) {
    // It is stopped, or starts: the command that restarts it goes on.
    context.log.debug(describeError(error));
  }
}

/** A restart of this host's node, as it is prepared and finished. */
export function restartRun(context: Context): RestartRun {
  const { search: process } = context.io;
  if (process === undefined) throw new TerminalError('there is no Elasticsearch service on this host');
  const search = searchRoles(context.search({ securityStartsWithinMs }));
  const cluster = { members: () => ownMembers(context) };
  return { ...context.run, process, search, notes: notesIn(context), traffic: ownTraffic(context), cluster };
}

/** A file on the root volume: it is there after a reboot, and gone with the instance. */
const notesIn = ({ io: { files } }: Context): RestartNotes => ({
  read: async () => {
    const text = await files.read(restartNoteFile);
    const { nodeId, clusterUuid, version } = JSON.parse(text ?? '{}') as Partial<NodeIdentity>;
    return nodeId === undefined || version === undefined ? undefined : { nodeId, clusterUuid, version };
  },
  write: (identity) => files.write(restartNoteFile, `${JSON.stringify(identity ?? {})}\n`),
});

function finish(context: Context, end: WaitEnd<RestartOutcome | FinishOutcome>, done: string): number {
  if (end.kind === 'timed-out') {
    context.log.error(
      `timed out: ${end.because}. To fix it: see cluster-cli cluster-health, then run the command again`,
    );
    return exitCodes.timedOut;
  }
  if (end.outcome.kind === 'refused') return refused(context, end.outcome.refusal);
  context.log.info(done);
  return exitCodes.done;
}
