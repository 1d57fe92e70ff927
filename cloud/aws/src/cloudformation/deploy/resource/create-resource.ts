import { noteAsked } from '@drover/cloud-engine';
import type { Run, StackResource } from '../model.ts';
import { recordResource } from '../record.ts';
import { pause, recordFailure, whileRunning } from './attempt.ts';
import { requestFor, wantedResource } from './resource-request.ts';

/** A resource that the template declares and that does not exist yet. */
export function newResource(run: Run, id: string): StackResource {
  const declared = run.deployment.template.Resources[id]!;
  return {
    logicalId: id,
    type: declared.Type,
    physicalId: undefined,
    attributes: {},
    properties: {},
    status: 'CREATE_IN_PROGRESS',
    updatedAt: run.context.clock.now(),
    deletionPolicy: declared.DeletionPolicy ?? 'Delete',
    updateReplacePolicy: declared.UpdateReplacePolicy ?? 'Delete',
    needs: run.deployment.dependencies.get(id) ?? new Set(),
  };
}

/** Makes one resource; a failure stops the operation and is recorded, never thrown. */
export async function createResource(run: Run, id: string): Promise<void> {
  if (run.abort.signal.aborted) return;
  const resource = newResource(run, id);
  run.stack.resources.set(id, resource);
  recordResource(run, resource, 'CREATE_IN_PROGRESS');
  try {
    await pause(run);
    Object.assign(resource, wantedResource(run, id));
    await bringIntoBeing(run, resource);
    recordResource(run, resource, 'CREATE_IN_PROGRESS', 'Resource creation Initiated');
    recordResource(run, resource, 'CREATE_COMPLETE');
  } catch (error) {
    recordFailure(run, resource, 'CREATE_FAILED', error);
  }
}

/** Asks the provider for a new physical resource. */
export async function bringIntoBeing(run: Run, resource: StackResource): Promise<void> {
  noteAsked(`type ${resource.type.replace(/^Custom::.*/, 'AWS::CloudFormation::CustomResource')}`);
  const provider = run.context.providerFor(resource.type);
  const state = await whileRunning(run, resource, () => provider.create(requestFor(run, resource)));
  resource.physicalId = state.physicalId;
  resource.refIsUnknown = state.refIsUnknown === true;
  resource.attributes = state.attributes ?? {};
}
