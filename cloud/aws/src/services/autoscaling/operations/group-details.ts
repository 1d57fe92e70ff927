import type { Operations, Permission } from '../../../account/service.ts';
import type { Filter, Tag } from '../api.ts';
import { validationError } from '../errors.ts';
import { setTags } from '../groups/groups.ts';
import type { GroupMetrics } from '../groups/metrics.ts';
import { detach, enterStandby, exitStandby } from '../groups/standby.ts';
import { attachTargetGroup, detachTargetGroup } from '../groups/target-groups.ts';
import type { Group, ProcessName } from '../model.ts';
import { page } from '../paging.ts';
import { activityShape, tagShapes } from '../responses.ts';
import type { Scaler } from '../state.ts';
import { change, onGroup, read, requestTags } from './permissions.ts';

interface Named {
  readonly AutoScalingGroupName: string | undefined;
}

type InstancesInput = Named & {
  readonly InstanceIds?: readonly string[];
  readonly ShouldDecrementDesiredCapacity?: boolean;
};
type ProcessesInput = Named & { readonly ScalingProcesses?: readonly string[] };
type MetricsInput = Named & { readonly Metrics?: readonly string[]; readonly Granularity?: string };
type TargetGroupsInput = Named & { readonly TargetGroupARNs?: readonly string[] };
interface TagsInput {
  readonly Tags?: readonly Tag[];
}

const processNames: readonly ProcessName[] = [
  'Launch',
  'Terminate',
  'AddToLoadBalancer',
  'AlarmNotification',
  'AZRebalance',
  'HealthCheck',
  'InstanceRefresh',
  'ReplaceUnhealthy',
  'ScheduledActions',
];

/** Processes, standby, tags, metrics and load balancers of a group. */
export const groupDetailOperations = (scaler: Scaler, metrics: GroupMetrics): Operations => ({
  SuspendProcesses: change(scaler, 'SuspendProcesses', (group, input: ProcessesInput) => {
    for (const name of processesOf(input))
      group.suspended.set(name, `User suspended at ${new Date(scaler.now).toISOString().slice(0, 19)}Z`);
    return {};
  }),
  ResumeProcesses: change(scaler, 'ResumeProcesses', (group, input: ProcessesInput) => {
    for (const name of processesOf(input)) group.suspended.delete(name);
    scaler.wake(group);
    return {};
  }),
  EnterStandby: change(scaler, 'EnterStandby', (group, input: InstancesInput) => ({
    Activities: enterStandby(scaler, group, input.InstanceIds ?? [], input.ShouldDecrementDesiredCapacity ?? false).map(
      activityShape,
    ),
  })),
  ExitStandby: change(scaler, 'ExitStandby', (group, input: InstancesInput) => ({
    Activities: exitStandby(scaler, group, input.InstanceIds ?? []).map(activityShape),
  })),
  DetachInstances: change(scaler, 'DetachInstances', (group, input: InstancesInput) => ({
    Activities: detach(scaler, group, input.InstanceIds ?? [], input.ShouldDecrementDesiredCapacity ?? false).map(
      activityShape,
    ),
  })),
  EnableMetricsCollection: change(scaler, 'EnableMetricsCollection', (group, input: MetricsInput) => {
    metrics.enable(group, input.Metrics, input.Granularity);
    return {};
  }),
  DisableMetricsCollection: change(scaler, 'DisableMetricsCollection', (group, input: MetricsInput) => {
    metrics.disable(group, input.Metrics);
    return {};
  }),
  AttachLoadBalancerTargetGroups: change(
    scaler,
    'AttachLoadBalancerTargetGroups',
    (group, input: TargetGroupsInput) => {
      for (const targetGroupArn of input.TargetGroupARNs ?? []) attachTargetGroup(scaler, group, targetGroupArn);
      return {};
    },
  ),
  DetachLoadBalancerTargetGroups: change(
    scaler,
    'DetachLoadBalancerTargetGroups',
    (group, input: TargetGroupsInput) => {
      for (const targetGroupArn of input.TargetGroupARNs ?? []) detachTargetGroup(scaler, group, targetGroupArn);
      return {};
    },
  ),
  CreateOrUpdateTags: {
    permissions: (input: TagsInput) => onTags(scaler, 'CreateOrUpdateTags', input),
    run: (input: TagsInput) => {
      for (const tag of input.Tags ?? []) setTags(groupOf(scaler, tag), [tag]);
      return {};
    },
  },
  DeleteTags: {
    permissions: (input: TagsInput) => onTags(scaler, 'DeleteTags', input),
    run: (input: TagsInput) => {
      for (const tag of input.Tags ?? []) groupOf(scaler, tag).tags.delete(tag.Key ?? '');
      return {};
    },
  },
  DescribeTags: read(
    'DescribeTags',
    (input: { readonly Filters?: readonly Filter[]; readonly NextToken?: string; readonly MaxRecords?: number }) => {
      const all = [...scaler.groups.values()].flatMap(tagShapes);
      const tags = all.filter((tag) => (input.Filters ?? []).every((filter) => matches(tag, filter)));
      const { items, ...next } = page(tags, input, { standard: 50, most: 100 });
      return { Tags: items, ...next };
    },
  ),
});

/** All processes when none is named. */
function processesOf(input: ProcessesInput): readonly ProcessName[] {
  const names = input.ScalingProcesses ?? [];
  const unknown = names.find((name) => !(processNames as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw validationError(`Scaling process name ${unknown} is not valid. Valid names are: ${processNames.join(', ')}`);
  return names.length === 0 ? processNames : (names as readonly ProcessName[]);
}

function groupOf(scaler: Scaler, tag: Tag): Group {
  if (tag.ResourceType !== undefined && tag.ResourceType !== 'auto-scaling-group')
    throw validationError(`The resource type ${tag.ResourceType} is not valid: use auto-scaling-group`);
  return scaler.group(tag.ResourceId);
}

const onTags = (scaler: Scaler, action: string, input: TagsInput): readonly Permission[] =>
  (input.Tags ?? []).flatMap((tag) => onGroup(scaler, action, tag.ResourceId, requestTags([tag])));

function matches(tag: ReturnType<typeof tagShapes>[number], filter: Filter): boolean {
  const values = filter.Values ?? [];
  switch (filter.Name) {
    case 'auto-scaling-group':
      return values.includes(tag.ResourceId);
    case 'key':
      return values.includes(tag.Key);
    case 'value':
      return values.includes(tag.Value);
    case 'propagate-at-launch':
      return values.includes(String(tag.PropagateAtLaunch));
    default:
      throw validationError(`Filter type ${filter.Name} is not correct`);
  }
}
