import { loadOnce } from '@drover/core/load-once';
import { trafficNoteFile } from '@drover/core/names/search-cluster';
import { lookAtTermination } from '@drover/search-cluster/start-up';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import type { CommandInput } from '../../tree/tree.ts';

/** Loaded when a restart in place has left something. */
const restartModule = loadOnce(() => import('./restart.ts'));
/** Loaded when there is something to drain. */
export const drainModule = loadOnce(() => import('./drain.ts'));

/**
 * Drains a node. On nearly every scheduled run there is nothing to drain, and the question to the instance's own metadata
 * is all that is done.
 */
export async function decommission(
  context: Context,
  input: CommandInput<'cluster decommission-node'>,
): Promise<number> {
  if (!input.options.onlyIfTerminating) return await (await drainModule()).drain(context, input, undefined);
  const termination = await lookAtTermination(context.metadata, async () => (await context.aws()).roles.membership);
  switch (termination.kind) {
    case 'not-terminating':
      context.log.debug(`not terminating: the target state is ${termination.target ?? 'unknown'}`);
      if (await hasLeftNote(context)) await (await restartModule()).endLeftRestart(context);
      return exitCodes.done;
    case 'not-waiting':
      context.log.info(`nothing to do: the instance is ${termination.state}, not in Terminating:Wait`);
      return exitCodes.done;
    default:
      return await (await drainModule()).drain(context, input, termination);
  }
}

/** A restart of this node has asked for something that is not over. */
const hasLeftNote = async ({ io: { files } }: Context) => /\w/.test((await files.read(trafficNoteFile)) ?? '');
