import { templateError } from '../../errors.ts';
import { isCustom } from '../../spec/resource-spec.ts';
import type { Resolved, Scope } from '../../template/functions/scope.ts';
import type { DeployContext, Run, StackResource } from '../model.ts';
import type { Deployment } from '../prepare.ts';
import { exportedValue } from '../stack/exports.ts';

/** The stack's resources as they stand, for resolving a deployment's values. */
export const scopeOf = (run: Run): Scope => ({
  ...baseScope(run.context, run.deployment),
  ref: (id) => {
    const { physicalId, refIsUnknown, type } = existing(run, id);
    if (refIsUnknown) throw templateError(`the embedded cloud does not know the Ref of ${type} (resource ${id})`);
    return physicalId;
  },
  attribute: (id, attribute) => attributeOf(existing(run, id), attribute),
  importValue: (name) => {
    run.imports.add(name);
    return exportedValue(run.context, name);
  },
});

/** The part of a scope that needs no resources. */
export const baseScope = (context: DeployContext, deployment: Deployment) => ({
  template: deployment.template,
  parameters: deployment.parameters,
  pseudo: deployment.pseudo,
  region: context.scope.region,
  zones: context.zones,
  condition: deployment.condition,
});

function existing(run: Run, id: string): StackResource {
  const resource = run.stack.resources.get(id);
  if (resource?.physicalId === undefined)
    throw templateError(`resource ${id} does not exist in stack ${run.stack.name}`);
  return resource;
}

/** An attribute by its full name, or inside an attribute that is an object. */
export function attributeOf(resource: StackResource, attribute: string): Resolved {
  const { attributes } = resource;
  if (attribute in attributes) return attributes[attribute] as Resolved;
  const inner = attribute
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], attributes);
  if (inner !== undefined) return inner as Resolved;
  if (isCustom(resource.type))
    throw templateError(
      `CustomResource attribute error: Vendor response doesn't contain ${attribute} attribute in object ${resource.logicalId}`,
    );
  throw templateError(
    `the embedded cloud gives no attribute ${attribute} for ${resource.type} (resource ${resource.logicalId})`,
  );
}
