import { failureReason } from '../../errors.ts';
import { type Dependencies, inOrder } from '../../template/graph.ts';
import type { StackResource, UpdateRun } from '../model.ts';
import { recordResource, recordStack } from '../record.ts';
import { removeResources } from '../resource/delete-resource.ts';
import { applyUpdate, askToUpdate } from '../resource/update-resource.ts';

interface RollBackOptions {
  /** Resources that are taken to be as they were (ContinueUpdateRollback). */
  readonly skip?: ReadonlySet<string>;
}

/** Brings every resource back to what it was; then removes what the failed update had made. */
export async function rollBackUpdate(
  run: UpdateRun,
  reason: string | undefined,
  options: RollBackOptions = {},
): Promise<void> {
  recordStack(run, 'UPDATE_ROLLBACK_IN_PROGRESS', reason);
  const current = new Map(run.stack.resources);
  const needs: Dependencies = new Map([...run.before].map(([id, { needs: each }]) => [id, each]));
  run.made.push(
    ...[...current.values()].filter((each) => each.physicalId !== run.before.get(each.logicalId)?.physicalId),
  );
  const failed: string[] = [];
  await inOrder(needs, async (id) => {
    if (!(await restore(run, run.before.get(id)!, current.get(id), options))) failed.push(id);
  });
  if (failed.length > 0)
    return recordStack(
      run,
      'UPDATE_ROLLBACK_FAILED',
      `The following resource(s) failed to update: [${failed.join(', ')}].`,
    );
  await removeNew(run);
}

/** Whether the resource is what it was. */
async function restore(
  run: UpdateRun,
  old: StackResource,
  current: StackResource | undefined,
  options: RollBackOptions,
): Promise<boolean> {
  const { stack, context } = run;
  await current?.unfinished;
  if (current === undefined || current.physicalId !== old.physicalId || !run.touched.has(old.logicalId)) {
    const replaced = current !== undefined && current.physicalId !== old.physicalId;
    stack.resources.set(old.logicalId, old);
    if (replaced) recordResource(run, old, 'UPDATE_COMPLETE');
    return true;
  }
  const resource: StackResource = { ...old, attributes: current.attributes };
  stack.resources.set(old.logicalId, resource);
  recordResource(run, resource, 'UPDATE_IN_PROGRESS');
  await context.clock.sleep(context.resourceDelayMs);
  try {
    if (options.skip?.has(old.logicalId) !== true)
      applyUpdate(resource, await askToUpdate(run, context.providerFor(resource.type), resource, current));
    recordResource(run, resource, 'UPDATE_COMPLETE');
    run.touched.delete(old.logicalId);
    return true;
  } catch (error) {
    recordResource(run, resource, 'UPDATE_FAILED', failureReason(error));
    return false;
  }
}

/** Removes what the update had made: new logical ids and replacements. */
async function removeNew(run: UpdateRun): Promise<void> {
  recordStack(run, 'UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS');
  await removeResources(run, run.made, {
    policyOf: ({ deletionPolicy }) => (deletionPolicy === 'RetainExceptOnCreate' ? 'Delete' : deletionPolicy),
  });
  for (const { logicalId } of run.made) if (!run.before.has(logicalId)) run.stack.resources.delete(logicalId);
  recordStack(run, 'UPDATE_ROLLBACK_COMPLETE');
}
