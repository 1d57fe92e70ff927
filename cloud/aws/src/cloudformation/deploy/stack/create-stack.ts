import { failureReason } from '../../errors.ts';
import { inOrder } from '../../template/graph.ts';
import type { Run } from '../model.ts';
import { recordStack } from '../record.ts';
import { OperationStopped, operationSwitch } from '../resource/attempt.ts';
import { createResource } from '../resource/create-resource.ts';
import { removeResources } from '../resource/delete-resource.ts';
import { runDelete } from './delete-stack.ts';
import { outputsOf } from './outputs.ts';

/** The action after a failed creation. */
export type OnFailure = 'ROLLBACK' | 'DELETE' | 'DO_NOTHING';

/** Creates every resource; ends in CREATE_COMPLETE, or as `onFailure` says. */
export async function runCreate(run: Run, onFailure: OnFailure): Promise<void> {
  recordStack(run, 'CREATE_IN_PROGRESS', 'User Initiated');
  const timer = run.stack.timeoutMinutes === undefined ? undefined : stopAfter(run, run.stack.timeoutMinutes * 60_000);
  await inOrder(run.deployment.dependencies, (id) => createResource(run, id));
  timer?.cancel();
  const reason = stopReason(run, 'create') ?? finish(run);
  if (reason === undefined) return recordStack(run, 'CREATE_COMPLETE');
  if (run.abort.signal.reason instanceof GivenUp) return;
  if (onFailure === 'DO_NOTHING') return recordStack(run, 'CREATE_FAILED', reason);
  if (onFailure === 'DELETE') return await runDelete(restarted(run), {}, `${reason} Delete requested by user.`);
  await rollBackCreate(restarted(run), `${reason} Rollback requested by user.`);
}

/** The stack is being deleted while it is created: the deletion goes on from here. */
export class GivenUp extends OperationStopped {}

class TimeIsUp extends OperationStopped {}

const stopAfter = (run: Run, ms: number) => run.context.clock.after(ms, () => run.abort.abort(new TimeIsUp()));

/** Why the operation came to nothing, if it did. */
export function stopReason(run: Run, verb: 'create' | 'update'): string | undefined {
  const { signal } = run.abort;
  if (!signal.aborted) return undefined;
  if (run.failed.length > 0) return `The following resource(s) failed to ${verb}: [${run.failed.join(', ')}].`;
  return signal.reason instanceof TimeIsUp
    ? 'Stack creation time exceeded the specified timeout.'
    : 'Operation cancelled.';
}

/** Publishes the outputs; a failure there fails the operation. */
export function finish(run: Run): string | undefined {
  try {
    run.stack.outputs = outputsOf(run);
    run.stack.imports = new Set(run.imports);
    return undefined;
  } catch (error) {
    return failureReason(error);
  }
}

/** The same operation with a signal that is not aborted, for what follows a failure. */
export const restarted = <R extends Run>(run: R): R => ({ ...run, abort: operationSwitch(), failed: [] });

/** RetainExceptOnCreate resources go when their creation is rolled back (User Guide, "DeletionPolicy attribute"). */
async function rollBackCreate(run: Run, reason: string): Promise<void> {
  recordStack(run, 'ROLLBACK_IN_PROGRESS', reason);
  const failed = await removeResources(run, [...run.stack.resources.values()], {
    policyOf: ({ deletionPolicy }) => (deletionPolicy === 'RetainExceptOnCreate' ? 'Delete' : deletionPolicy),
  });
  if (failed.length > 0)
    return recordStack(run, 'ROLLBACK_FAILED', `The following resource(s) failed to delete: [${failed.join(', ')}].`);
  recordStack(run, 'ROLLBACK_COMPLETE');
}
