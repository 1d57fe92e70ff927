import { arn } from '../../../account/arn.ts';
import type { Operation, Permission } from '../../../account/service.ts';
import type { Tag } from '../api.ts';
import type { Group } from '../model.ts';
import type { Scaler } from '../state.ts';

/** A read: Auto Scaling's Describe actions have no resource-level permissions. */
// biome-ignore lint/suspicious/noExplicitAny: each operation narrows its own input and output
export const read = (name: string, run: Operation<any>['run']): Operation => ({
  permissions: () => [{ action: `autoscaling:${name}`, resource: '*' }],
  run,
});

/** One action on the group of a name; one that does not exist is asked about with any id. */
export function onGroup(
  scaler: Scaler,
  action: string,
  name: string | undefined,
  context: Permission['context'] = {},
): readonly Permission[] {
  const group = scaler.groups.get(name ?? '');
  const resource = group?.arn ?? arn(scaler.aws, 'autoscaling', `autoScalingGroup:*:autoScalingGroupName/${name}`);
  return [{ action: `autoscaling:${action}`, resource, context: { ...resourceTags(group), ...context } }];
}

/** An operation that changes the group of its `AutoScalingGroupName`; most responses are empty. */
export const change = <Input extends { readonly AutoScalingGroupName?: string | undefined }, Output>(
  scaler: Scaler,
  action: string,
  run: (group: Group, input: Input) => Output | undefined,
): Operation<Input, Output | object> => ({
  permissions: (input) => onGroup(scaler, action, input.AutoScalingGroupName),
  run: (input) => run(scaler.group(input.AutoScalingGroupName), input) ?? {},
});

function resourceTags(group: Group | undefined): Record<string, string> {
  const tags = [...(group?.tags.values() ?? [])];
  return Object.fromEntries(
    tags.flatMap(({ key, value }) => [
      [`aws:ResourceTag/${key}`, value],
      [`autoscaling:ResourceTag/${key}`, value],
    ]),
  );
}

/** `aws:RequestTag/…` and `aws:TagKeys` of a request that brings tags. */
export function requestTags(tags: readonly Tag[] | undefined): Record<string, string | readonly string[]> {
  const pairs = (tags ?? []).map((tag) => [tag.Key ?? '', tag.Value ?? ''] as const);
  const context = Object.fromEntries(pairs.map(([key, value]) => [`aws:RequestTag/${key}`, value]));
  return pairs.length === 0 ? context : { ...context, 'aws:TagKeys': pairs.map(([key]) => key) };
}
