import type { Operation, Permission } from '../../../account/service.ts';
import { type Tag, type TaggedResource, tagRecord } from '../model.ts';
import type { Ec2State } from '../state.ts';

/** A read: EC2's Describe actions have no resource-level permissions (Actions, resources, and condition keys for Amazon EC2). */
// biome-ignore lint/suspicious/noExplicitAny: each operation narrows its own input and output
export const read = (name: string, run: Operation<any>['run']): Operation => ({
  permissions: () => [{ action: `ec2:${name}`, resource: '*' }],
  run,
});

/** One action on one existing resource, with its tags as context. */
export const onResource = (action: string, resource: TaggedResource): Permission => ({
  action: `ec2:${action}`,
  resource: resource.arn,
  context: resourceContext(resource),
});

/** One action on resources by id; those that do not exist are asked about as `*`, and fail afterwards. */
export const onIds = (ec2: Ec2State, action: string, ids: readonly string[] | undefined): readonly Permission[] =>
  (ids ?? []).map((id) => {
    const resource = ec2.registry.get(id) ?? ec2.instances.get(id);
    return resource === undefined ? { action: `ec2:${action}`, resource: '*' } : onResource(action, resource);
  });

/** Tags, and for an instance its id (condition key `ec2:InstanceID`). */
export const resourceContext = (resource: TaggedResource): Record<string, string> => ({
  ...resourceTags(resource.tags),
  ...(resource.id.startsWith('i-') ? { 'ec2:InstanceID': resource.id } : {}),
});

function resourceTags(tags: Readonly<Record<string, string>>): Record<string, string> {
  const context: Record<string, string> = {};
  for (const key in tags) {
    context[`aws:ResourceTag/${key}`] = tags[key]!;
    context[`ec2:ResourceTag/${key}`] = tags[key]!;
  }
  return context;
}

/** `aws:RequestTag/…` and `aws:TagKeys` of a request that brings tags. */
export function requestTags(tags: readonly Tag[] | undefined): Record<string, string | readonly string[]> {
  const record = tagRecord(tags);
  const keys = Object.keys(record);
  const context = Object.fromEntries(Object.entries(record).map(([key, value]) => [`aws:RequestTag/${key}`, value]));
  return keys.length === 0 ? context : { ...context, 'aws:TagKeys': keys };
}
