import type { Run } from '../model.ts';
import { recordStack } from '../record.ts';
import { removeResources } from '../resource/delete-resource.ts';
import { exportInUse } from './exports.ts';

interface DeleteOptions {
  readonly retain?: ReadonlySet<string>;
  readonly force?: boolean;
}

/** Removes every resource; ends in DELETE_COMPLETE or DELETE_FAILED. */
export async function runDelete(run: Run, options: DeleteOptions, reason = 'User Initiated'): Promise<void> {
  const { stack, context } = run;
  const before = stack.status;
  recordStack(run, 'DELETE_IN_PROGRESS', reason);
  const inUse = stack.outputs
    .map((each) => each.exportName && exportInUse(context, each.exportName, 'deleted'))
    .find(Boolean);
  // A stack whose export is in use falls back to the status that it had; it never shows DELETE_FAILED.
  if (inUse !== undefined) return recordStack(run, before, inUse);
  const resources = [...stack.resources.values()];
  const failed = await removeResources(run, resources, {
    ...options,
    policyOf: (each) => (each.deletionPolicy === 'RetainExceptOnCreate' ? 'Retain' : each.deletionPolicy),
  });
  if (failed.length > 0)
    return recordStack(run, 'DELETE_FAILED', `The following resource(s) failed to delete: [${failed.join(', ')}].`);
  stack.deletedAt = context.clock.now();
  stack.outputs = [];
  stack.imports = new Set();
  recordStack(run, 'DELETE_COMPLETE');
}
