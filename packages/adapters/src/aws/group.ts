import type { AutoScalingGroup, Instance } from '@aws-sdk/client-auto-scaling';
import { TerminalError } from '@drover/core';
import { fallbackGroupName } from '@drover/core/names/runner-fleet';
import type {
  FleetInstance,
  GroupFacts,
  GroupMembers,
  GroupProcesses,
  GroupReader,
  GroupSize,
} from '@drover/runner-fleet';
import { instead } from '../instead.ts';
import type { AwsCalls } from './calls/calls.ts';
import { hasCode } from './calls/errors.ts';
import { pages } from './calls/pages.ts';

type Aws = Pick<AwsCalls, 'autoscaling'>;

const mostWarmPoolPages = 50;

/** Which groups there are, and in which of them an instance is. */
export interface KnownGroups {
  readonly names: readonly string[];
  of(instanceId: string): string;
}

/** The group is not there: its stack is being created or deleted, or it was deleted alone. */
export class NoSuchGroup extends TerminalError {}

/** Reads a runner fleet's group and its warm pool. */
export function groupReader(aws: Aws, groupName: string): GroupReader {
  return {
    async read() {
      const { AutoScalingGroups } = await aws.autoscaling('DescribeAutoScalingGroups', {
        AutoScalingGroupNames: [groupName],
      });
      return await groupFacts(aws, groupName, AutoScalingGroups?.[0]);
    },
  };
}

/** The facts about a group that was described, with its warm pool. */
export async function groupFacts(
  aws: Aws,
  groupName: string,
  group: AutoScalingGroup | undefined,
): Promise<GroupFacts> {
  if (group === undefined)
    throw new NoSuchGroup(`there is no Auto Scaling group ${groupName}`, {
      remedy: 'check the stack that owns it',
    });
  const hasWarmPool = group.WarmPoolConfiguration !== undefined;
  const pool = hasWarmPool ? await warmPoolMembers(aws, groupName) : [];
  const version = templateVersion(group);
  return {
    name: groupName,
    minSize: group.MinSize ?? 0,
    maxSize: group.MaxSize ?? 0,
    desiredCapacity: group.DesiredCapacity ?? 0,
    instances: [...(group.Instances ?? []).map((member) => toInstance(member, false)), ...pool],
    hasWarmPool,
    ...(version === undefined ? {} : { launchTemplateVersion: version }),
    suspendedProcesses: (group.SuspendedProcesses ?? []).map(({ ProcessName = '' }) => ProcessName),
  };
}

/** A group that has no other beside it. */
export const oneGroup = (aws: Aws, groupName: string) => ({
  group: groupReader(aws, groupName),
  groups: { names: [groupName], of: () => groupName },
});

async function warmPoolMembers(aws: Aws, groupName: string): Promise<FleetInstance[]> {
  const members: FleetInstance[] = [];
  const ask = (next: object) => aws.autoscaling('DescribeWarmPool', { AutoScalingGroupName: groupName, ...next });
  for await (const { Instances = [] } of pages(ask, mostWarmPoolPages))
    members.push(...Instances.map((member) => toInstance(member, true)));
  return members;
}

/** Only a number can be compared with a member's version; `$Latest` says nothing. */
function templateVersion(group: AutoScalingGroup): string | undefined {
  const template = group.LaunchTemplate ?? group.MixedInstancesPolicy?.LaunchTemplate?.LaunchTemplateSpecification;
  return template?.Version !== undefined && /^\d+$/.test(template.Version) ? template.Version : undefined;
}

function toInstance(member: Instance, inWarmPool: boolean): FleetInstance {
  const version = member.LaunchTemplate?.Version;
  return {
    id: member.InstanceId ?? '',
    lifecycleState: member.LifecycleState ?? '',
    healthy: member.HealthStatus !== 'Unhealthy',
    protectedFromScaleIn: member.ProtectedFromScaleIn === true,
    ...(version === undefined ? {} : { launchTemplateVersion: version }),
    inWarmPool,
  };
}

/** Changes to members of a runner fleet's groups outside of hooks. */
export function groupMembers(aws: Aws, groups: Pick<KnownGroups, 'of'>): GroupMembers {
  return {
    // The only way to replace a member of the warm pool: TerminateInstanceInAutoScalingGroup cannot be called on one (API reference).
    async markUnhealthy(instanceId) {
      await aws.autoscaling('SetInstanceHealth', {
        InstanceId: instanceId,
        HealthStatus: 'Unhealthy',
        ShouldRespectGracePeriod: false,
      });
    },
    async clearProtection(instanceId) {
      await aws.autoscaling('SetInstanceProtection', {
        AutoScalingGroupName: groups.of(instanceId),
        InstanceIds: [instanceId],
        ProtectedFromScaleIn: false,
      });
    },
  };
}

/** The processes of a runner fleet's groups. */
export const fleetProcesses = (aws: Aws, groups: Pick<KnownGroups, 'names'>): GroupProcesses => ({
  async suspend(process) {
    for (const AutoScalingGroupName of groups.names)
      await aws.autoscaling('SuspendProcesses', { AutoScalingGroupName, ScalingProcesses: [process] });
  },
});

/** "Instance Id not found": the group has let it go since it was read. */
export const isNotInGroup = hasCode(/^ValidationError$/, /not found/i);

/** Changes to the size of a runner fleet's group. */
export function groupSize(aws: Aws, groupName: string): GroupSize {
  const setDesired = async (AutoScalingGroupName: string, DesiredCapacity: number) =>
    void (await aws.autoscaling('SetDesiredCapacity', { AutoScalingGroupName, DesiredCapacity, HonorCooldown: false }));
  return {
    setDesired: (capacity) => setDesired(groupName, capacity),
    setFallbackDesired: (capacity) => setDesired(fallbackGroupName(groupName), capacity),
    terminate(instanceId, decrement) {
      const input = { InstanceId: instanceId, ShouldDecrementDesiredCapacity: decrement };
      return aws
        .autoscaling('TerminateInstanceInAutoScalingGroup', input)
        .then(() => 'accepted' as const)
        .catch(instead(isNotInGroup, 'gone'));
    },
  };
}
