import type { ResourceRequest } from '../../../account/service.ts';
import { ResourceFailure } from '../../errors.ts';
import { checkProperties } from '../../spec/check-properties.ts';
import { resolveDynamic } from '../../template/functions/dynamic-references.ts';
import { resolve } from '../../template/functions/resolve.ts';
import type { ResolvedProperties, Run, StackResource } from '../model.ts';
import { physicalName } from './physical-name.ts';
import { scopeOf } from './scope-of.ts';
import { withStackTags } from './tags.ts';

/** A resource's declaration with its properties resolved and checked; dynamic references are still text. */
export interface WantedResource {
  readonly properties: ResolvedProperties;
  readonly updatePolicy?: ResolvedProperties;
}

/** Resolves what the template wants of a resource. Fails with every problem of its properties at once. */
export function wantedResource(run: Run, id: string): WantedResource {
  const declared = run.deployment.template.Resources[id]!;
  const scope = scopeOf(run);
  const resolved = resolve(declared.Properties ?? {}, scope) as ResolvedProperties;
  const { properties, problems } = checkProperties(declared.Type, resolved);
  if (problems.length > 0)
    throw new ResourceFailure(`Properties validation failed for resource ${id} with message:\n${problems.join('\n')}`);
  const updatePolicy = declared.UpdatePolicy === undefined ? undefined : resolve(declared.UpdatePolicy, scope);
  return {
    properties: withStackTags(run.stack, id, declared.Type, properties),
    ...(updatePolicy === undefined ? {} : { updatePolicy: updatePolicy as ResolvedProperties }),
  };
}

/** The request to a provider for a resource, with dynamic references resolved. */
export function requestFor(run: Run, resource: StackResource): ResourceRequest {
  const { stack, context } = run;
  return {
    type: resource.type,
    logicalId: resource.logicalId,
    stackName: stack.name,
    stackId: stack.id,
    properties: resolveDynamic({ ...resource.properties }, context.dynamic) as ResolvedProperties,
    ...(resource.updatePolicy === undefined ? {} : { updatePolicy: resource.updatePolicy }),
    signal: run.abort.signal,
    generateName: (maxLength) => physicalName(context.random, stack.name, resource.logicalId, maxLength),
  };
}

/** Properties of the past: what they referred to may be gone, which must not stand in the way of a removal. */
export function pastProperties(run: Run, properties: ResolvedProperties): ResolvedProperties {
  try {
    return resolveDynamic({ ...properties }, run.context.dynamic) as ResolvedProperties;
  } catch {
    return properties;
  }
}
