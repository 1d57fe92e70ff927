import { failureReason } from '../../errors.ts';
import { type Dependencies, inOrder, reversed } from '../../template/graph.ts';
import type { RemovalPolicy } from '../../template/template.ts';
import type { Run, StackResource } from '../model.ts';
import { recordResource } from '../record.ts';
import { pastProperties, requestFor } from './resource-request.ts';

interface Removal {
  /** The policy that decides; `Delete` removes. */
  policyOf(resource: StackResource): RemovalPolicy;
  /** Resources that are kept whatever their policy says. */
  readonly retain?: ReadonlySet<string>;
  /** Keep what cannot be removed. */
  readonly force?: boolean;
}

/** Removes resources, each after those that need it; what a resource that could not be removed needs stays too. */
export async function removeResources(
  run: Run,
  resources: readonly StackResource[],
  removal: Removal,
): Promise<string[]> {
  const byId = new Map(resources.map((resource) => [resource.logicalId, resource]));
  const needs: Dependencies = new Map(
    resources.map((each) => [each.logicalId, new Set([...each.needs].filter((id) => byId.has(id)))]),
  );
  const dependants = reversed(needs);
  const failed: string[] = [];
  const kept = new Set<string>();
  await inOrder(dependants, async (id) => {
    const blocked = [...(dependants.get(id) ?? [])].some((each) => kept.has(each));
    if (!blocked && (await removeOne(run, byId.get(id)!, removal))) return;
    kept.add(id);
    if (!blocked) failed.push(id);
  });
  return failed;
}

/** Whether the resource is gone, or kept on purpose. */
async function removeOne(run: Run, resource: StackResource, removal: Removal): Promise<boolean> {
  await resource.unfinished;
  if (resource.status === 'DELETE_COMPLETE') return true;
  if (removal.policyOf(resource) !== 'Delete' || removal.retain?.has(resource.logicalId) === true) {
    recordResource(run, resource, 'DELETE_SKIPPED');
    return true;
  }
  if (resource.physicalId === undefined) {
    recordResource(run, resource, 'DELETE_COMPLETE');
    return true;
  }
  recordResource(run, resource, 'DELETE_IN_PROGRESS');
  await run.context.clock.sleep(run.context.resourceDelayMs);
  try {
    await removePhysical(run, resource, resource.physicalId);
    recordResource(run, resource, 'DELETE_COMPLETE');
    return true;
  } catch (error) {
    recordResource(run, resource, removal.force === true ? 'DELETE_SKIPPED' : 'DELETE_FAILED', failureReason(error));
    return removal.force === true;
  }
}

async function removePhysical(run: Run, resource: StackResource, physicalId: string): Promise<void> {
  const { attributes } = resource;
  const properties = pastProperties(run, resource.properties);
  const request = { ...requestFor(run, { ...resource, properties: {} }), properties };
  await run.context
    .providerFor(resource.type)
    .delete({ ...request, physicalId, attributes, previousProperties: properties });
}
