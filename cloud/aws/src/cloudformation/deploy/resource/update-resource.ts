import type { ResourceProvider, ResourceState } from '../../../account/service.ts';
import { ResourceFailure } from '../../errors.ts';
import { type PropertyChange, propertyChanges, worst } from '../../spec/property-changes.ts';
import { specOf } from '../../spec/resource-spec.ts';
import type { ResolvedProperties, Run, StackResource, UpdateRun } from '../model.ts';
import { recordResource } from '../record.ts';
import { pause, recordFailure, whileRunning } from './attempt.ts';
import { bringIntoBeing, createResource, newResource } from './create-resource.ts';
import { pastProperties, requestFor, type WantedResource, wantedResource } from './resource-request.ts';

/** Brings one resource to what the template wants: made, left alone, changed in place or replaced. */
export async function updateResource(run: UpdateRun, id: string): Promise<void> {
  if (run.abort.signal.aborted) return;
  const old = run.before.get(id);
  const resource = run.stack.resources.get(id);
  if (old?.physicalId === undefined || resource === undefined || old.status === 'CREATE_FAILED') {
    if (old?.physicalId !== undefined) run.superseded.push(old);
    return await createResource(run, id);
  }
  try {
    const wanted = wantedResource(run, id);
    adoptPolicies(run, resource, wanted);
    const changes = propertyChanges(resource.type, old.properties, wanted.properties);
    if (changes.length === 0 && old.status !== 'UPDATE_FAILED') return;
    const provider = run.context.providerFor(resource.type);
    if (needsReplacement(provider, changes)) await replace(run, old, wanted, changes);
    else await changeInPlace(run, provider, old, resource, wanted);
  } catch (error) {
    recordFailure(run, run.stack.resources.get(id)!, 'UPDATE_FAILED', error);
  }
}

/** Policies take effect without an event of their own. */
function adoptPolicies(run: Run, resource: StackResource, wanted: WantedResource): void {
  const { deletionPolicy, updateReplacePolicy, needs } = newResource(run, resource.logicalId);
  Object.assign(resource, { deletionPolicy, updateReplacePolicy, needs });
  if (wanted.updatePolicy === undefined) delete resource.updatePolicy;
  else resource.updatePolicy = wanted.updatePolicy;
}

const needsReplacement = (provider: ResourceProvider, changes: readonly PropertyChange[]) =>
  provider.update === undefined || worst(changes.map((each) => each.requiresRecreation)) === 'Always';

async function replace(
  run: UpdateRun,
  old: StackResource,
  wanted: WantedResource,
  changes: readonly PropertyChange[],
): Promise<void> {
  const resource: StackResource = {
    ...newResource(run, old.logicalId),
    status: 'UPDATE_IN_PROGRESS',
    physicalId: old.physicalId,
    ...wanted,
  };
  run.stack.resources.set(old.logicalId, resource);
  recordResource(
    run,
    resource,
    'UPDATE_IN_PROGRESS',
    'Requested update requires the creation of a new physical resource; hence creating one.',
  );
  resource.physicalId = undefined;
  refuseSameName(old, wanted.properties, changes);
  await pause(run);
  await bringIntoBeing(run, resource);
  recordResource(run, resource, 'UPDATE_IN_PROGRESS', 'Resource creation Initiated');
  run.superseded.push(old);
  recordResource(run, resource, 'UPDATE_COMPLETE');
}

/** A resource with a name of its own cannot be made while the old one has that name (User Guide, "Name type"). */
function refuseSameName(old: StackResource, wanted: ResolvedProperties, changes: readonly PropertyChange[]): void {
  const spec = specOf(old.type);
  const identifiers = spec?.primaryIdentifier ?? [];
  const named =
    identifiers.length > 0 &&
    identifiers.every((name) => spec?.properties[name] !== undefined && wanted[name] !== undefined);
  const renamed = changes.some(({ name }) => identifiers.includes(name));
  if (named && !renamed)
    throw new ResourceFailure(
      `CloudFormation cannot update a stack when a custom-named resource requires replacing. Rename ${String(wanted[identifiers.at(-1)!])} and update the stack again.`,
    );
}

async function changeInPlace(
  run: UpdateRun,
  provider: ResourceProvider,
  old: StackResource,
  resource: StackResource,
  wanted: WantedResource,
): Promise<void> {
  run.touched.add(resource.logicalId);
  resource.properties = wanted.properties;
  recordResource(run, resource, 'UPDATE_IN_PROGRESS');
  await pause(run);
  const state = await whileRunning(run, resource, () => askToUpdate(run, provider, resource, old));
  applyUpdate(resource, state);
  if (state.physicalId !== old.physicalId) run.superseded.push(old);
  recordResource(run, resource, 'UPDATE_COMPLETE');
}

/** Asks the provider to bring a physical resource from its old properties to those of `resource`. */
export const askToUpdate = (run: Run, provider: ResourceProvider, resource: StackResource, old: StackResource) =>
  provider.update!({
    ...requestFor(run, resource),
    physicalId: resource.physicalId!,
    previousProperties: pastProperties(run, old.properties),
  });

/** A provider that gives no attributes leaves them as they are. */
export function applyUpdate(resource: StackResource, state: ResourceState): void {
  resource.physicalId = state.physicalId;
  resource.attributes = state.attributes ?? resource.attributes;
}
