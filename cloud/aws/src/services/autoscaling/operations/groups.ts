import type { Operations } from '../../../account/service.ts';
import type {
  AutoScalingGroupNamesType,
  CreateAutoScalingGroupType,
  DeleteAutoScalingGroupType,
  DescribeAutoScalingInstancesType,
  Filter,
  UpdateAutoScalingGroupType,
} from '../api.ts';
import { scalingActivityInProgress, validationError } from '../errors.ts';
import { createGroup, deleteGroup, refuseWhileDeleting, updateGroup } from '../groups/groups.ts';
import { laggingMembers } from '../groups/past-members.ts';
import type { Group, Member } from '../model.ts';
import { page } from '../paging.ts';
import { groupShape, memberDetailsShape } from '../responses.ts';
import { setDesired } from '../scaling/capacity.ts';
import type { Scaler } from '../state.ts';
import { change, onGroup, read, requestTags } from './permissions.ts';

/** Groups: create, update, describe, delete, desired capacity. */
export const groupOperations = (scaler: Scaler): Operations => ({
  CreateAutoScalingGroup: {
    permissions: (input: CreateAutoScalingGroupType) =>
      onGroup(scaler, 'CreateAutoScalingGroup', input.AutoScalingGroupName, requestTags(input.Tags)),
    run: (input: CreateAutoScalingGroupType) => {
      createGroup(scaler, input);
      return {};
    },
  },
  UpdateAutoScalingGroup: change(scaler, 'UpdateAutoScalingGroup', (group, input: UpdateAutoScalingGroupType) => {
    updateGroup(scaler, group, input);
  }),
  DeleteAutoScalingGroup: change(scaler, 'DeleteAutoScalingGroup', (group, input: DeleteAutoScalingGroupType) => {
    deleteGroup(scaler, group, input.ForceDelete ?? false);
  }),
  SetDesiredCapacity: change(scaler, 'SetDesiredCapacity', (group, input: DesiredInput) => {
    setDesiredCapacity(scaler, group, input);
  }),
  DescribeAutoScalingGroups: read('DescribeAutoScalingGroups', (input: AutoScalingGroupNamesType) => {
    const { items, ...next } = page(select(scaler, input), input, { standard: 50, most: 100 });
    const past = laggingMembers(scaler, 'DescribeAutoScalingGroups');
    const membersOf = (group: Group) =>
      input.IncludeInstances === false ? [] : past?.filter((member) => member.group === group);
    return { AutoScalingGroups: items.map((group) => groupShape(group, membersOf(group))), ...next };
  }),
  DescribeAutoScalingInstances: read('DescribeAutoScalingInstances', (input: DescribeAutoScalingInstancesType) => {
    const members = selectMembers(scaler, input.InstanceIds ?? []);
    const { items, ...next } = page(members, input, { standard: 50, most: 50 });
    return { AutoScalingInstances: items.map(memberDetailsShape), ...next };
  }),
});

function selectMembers(scaler: Scaler, ids: readonly string[]): readonly Member[] {
  const past = laggingMembers(scaler, 'DescribeAutoScalingInstances');
  if (past !== undefined) return past.filter((member) => ids.length === 0 || ids.includes(member.instanceId));
  return ids.length > 0 ? ids.flatMap((id) => scaler.members.get(id) ?? []) : [...scaler.members.values()];
}

interface DesiredInput {
  readonly AutoScalingGroupName: string | undefined;
  readonly DesiredCapacity: number | undefined;
  readonly HonorCooldown?: boolean | undefined;
}

function setDesiredCapacity(scaler: Scaler, group: Group, input: DesiredInput): void {
  refuseWhileDeleting(group);
  const desired = input.DesiredCapacity ?? 0;
  if (desired > group.maxSize)
    throw validationError(
      `New SetDesiredCapacity value ${desired} is above max value ${group.maxSize} for the AutoScalingGroup.`,
    );
  if (desired < group.minSize)
    throw validationError(
      `New SetDesiredCapacity value ${desired} is below min value ${group.minSize} for the AutoScalingGroup.`,
    );
  if (input.HonorCooldown === true && scaler.now < group.simpleScaling.cooldownUntil)
    throw scalingActivityInProgress('Group is in cooldown period.');
  setDesired(scaler, group, desired, 'a user request explicitly set group desired capacity');
}

function select(scaler: Scaler, input: AutoScalingGroupNamesType): Group[] {
  const unknown = input.Filters?.find(({ Name = '' }) => !/^tag(-key|-value|:.*)$/.test(Name));
  if (unknown !== undefined)
    throw validationError(
      `Filter type ${unknown.Name} is not correct. Allowed Filter types are: tag-key, tag-value, tag:<key>`,
    );
  const names = input.AutoScalingGroupNames ?? [];
  const groups =
    names.length > 0 ? names.flatMap((name) => scaler.groups.get(name) ?? []) : [...scaler.groups.values()];
  return groups.filter((group) => (input.Filters ?? []).every((filter) => matches(group, filter)));
}

function matches(group: Group, filter: Filter): boolean {
  const name = filter.Name ?? '';
  const values = filter.Values ?? [];
  const tags = [...group.tags.values()];
  if (name === 'tag-key') return tags.some((tag) => values.includes(tag.key));
  if (name === 'tag-value') return tags.some((tag) => values.includes(tag.value));
  return values.includes(group.tags.get(name.slice('tag:'.length))?.value ?? '\0');
}
