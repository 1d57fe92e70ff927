import { specOf } from '../../spec/resource-spec.ts';
import type { Resolved } from '../../template/functions/scope.ts';
import type { ResolvedProperties, Stack } from '../model.ts';

/**
 * Properties with the stack's tags and CloudFormation's own three added, for types that take tags
 * (User Guide, "Resource tag"). A tag that the template sets itself wins.
 */
export function withStackTags(
  stack: Stack,
  logicalId: string,
  type: string,
  properties: ResolvedProperties,
): ResolvedProperties {
  const information = specOf(type)?.tagInformation;
  if (information === undefined) return properties;
  const { tagPropertyName, variant } = information;
  const inherited = {
    ...stack.tags,
    'aws:cloudformation:stack-name': stack.name,
    'aws:cloudformation:stack-id': stack.id,
    'aws:cloudformation:logical-id': logicalId,
  };
  const own = properties[tagPropertyName];
  if (variant === 'map')
    return { ...properties, [tagPropertyName]: { ...inherited, ...(own as Record<string, Resolved>) } };
  const listed = Array.isArray(own) ? own : [];
  const taken = new Set(listed.map((tag) => (tag as { Key?: string }).Key));
  const added = Object.entries(inherited)
    .filter(([Key]) => !taken.has(Key))
    .map(([Key, Value]) => ({ Key, Value, ...(variant === 'asg' ? { PropagateAtLaunch: true } : {}) }));
  return { ...properties, [tagPropertyName]: [...listed, ...added] };
}
