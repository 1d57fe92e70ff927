import { inOrder } from '../../template/graph.ts';
import type { Run, Stack, StackResource, UpdateRun } from '../model.ts';
import { recordStack } from '../record.ts';
import { removeResources } from '../resource/delete-resource.ts';
import { updateResource } from '../resource/update-resource.ts';
import { finish, restarted, stopReason } from './create-stack.ts';
import { rollBackUpdate } from './roll-back-update.ts';

/** Settings that a rollback restores besides resources. */
type StackSettings = Pick<Stack, 'deployment' | 'parameters' | 'tags' | 'capabilities' | 'description'>;

export const settingsOf = ({ deployment, parameters, tags, capabilities, description }: Stack): StackSettings => ({
  deployment,
  parameters,
  tags,
  capabilities,
  ...(description === undefined ? {} : { description }),
});

/** Updates every resource that differs; ends in UPDATE_COMPLETE, UPDATE_ROLLBACK_COMPLETE or a failure of either. */
export async function runUpdate(base: Run, previous: StackSettings, keepOnFailure: boolean): Promise<void> {
  const { stack, context } = base;
  const before = new Map([...stack.resources].map(([id, resource]) => [id, { ...resource }]));
  const run: UpdateRun = { ...base, before, superseded: [], touched: new Set(), made: [] };
  stack.updatedAt = context.clock.now();
  recordStack(run, 'UPDATE_IN_PROGRESS', 'User Initiated');
  await inOrder(run.deployment.dependencies, (id) => updateResource(run, id));
  const reason = stopReason(run, 'update') ?? finish(run);
  if (reason === undefined) return await cleanUp(run);
  if (keepOnFailure) return recordStack(run, 'UPDATE_FAILED', reason);
  Object.assign(stack, previous);
  await rollBackUpdate(restarted(run), reason);
}

/** The old goes only now that everything new stands; what cannot be removed is left behind, the update holds. */
async function cleanUp(run: UpdateRun): Promise<void> {
  const { stack, deployment } = run;
  recordStack(run, 'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS');
  const dropped = [...stack.resources.values()].filter((each) => !deployment.dependencies.has(each.logicalId));
  await removeResources(run, [...dropped, ...uniqueById(run.superseded)], {
    policyOf: (each) => {
      const policy = dropped.includes(each) ? each.deletionPolicy : each.updateReplacePolicy;
      return policy === 'RetainExceptOnCreate' ? 'Retain' : policy;
    },
  });
  for (const { logicalId } of dropped) stack.resources.delete(logicalId);
  recordStack(run, 'UPDATE_COMPLETE');
}

const uniqueById = (resources: readonly StackResource[]) => [
  ...new Map(resources.map((each) => [each.logicalId, each])).values(),
];
