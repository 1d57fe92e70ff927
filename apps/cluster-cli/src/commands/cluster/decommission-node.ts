import { loadOnce } from '@drover/core/load-once';
import { lookAtTermination, type Termination } from '@drover/search-cluster/run/terminating-instance';
import { awsModule, type Context } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { instanceMetadata } from '../../metadata.ts';
import type { CommandInput } from '../../tree/types.ts';

/** Loaded when there is something to drain. */
export const drainModule = loadOnce(() => import('./drain-node.ts'));

/**
 * On nearly every run of the schedule the first step is the last: this file loads nothing but the question to the
 * instance's own metadata.
 */
export async function run(context: Context, input: CommandInput): Promise<number> {
  if (input.options['only-if-terminating'] !== true) return await drain(context, input, undefined);
  const termination = await lookAtTermination(instanceMetadata(context), () => membership(context));
  if (termination.kind === 'waiting' || termination.kind === 'retained')
    return await drain(context, input, termination);
  if (termination.kind === 'not-terminating')
    context.log.debug(`not terminating: the target state is ${termination.target ?? 'unknown'}`);
  else context.log.info(`nothing to do: the instance is ${termination.state}, not in Terminating:Wait`);
  return exitCodes.done;
}

const membership = async (context: Context) => (await awsModule()).roles(context).membership;

async function drain(context: Context, input: CommandInput, termination: Termination | undefined): Promise<number> {
  const { drainNode } = await drainModule();
  return await drainNode(context, input, termination);
}
