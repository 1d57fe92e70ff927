import {
  type AutoScalingClient,
  type AutoScalingGroup,
  CompleteLifecycleActionCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeScalingActivitiesCommand,
  DescribeWarmPoolCommand,
  type Instance,
  RecordLifecycleActionHeartbeatCommand,
  SetInstanceHealthCommand,
  SetInstanceProtectionCommand,
} from '@aws-sdk/client-auto-scaling';
import { TerminalError } from '@drover/core';
import type { FleetInstance, GroupMembers, GroupReader, LifecycleHooks, TransitionTimes } from '@drover/runner-fleet';

type Sender = Pick<AutoScalingClient, 'send'>;

/** Activities are read from the newest; a transition older than so many pages is not looked for. */
const mostActivityPages = 10;
const mostWarmPoolPages = 50;

export function groupReader(client: Sender, groupName: string): GroupReader {
  return {
    async read() {
      const { AutoScalingGroups } = await client.send(
        new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [groupName] }),
      );
      const group = AutoScalingGroups?.[0];
      if (group === undefined)
        throw new TerminalError(`there is no Auto Scaling group ${groupName}`, {
          remedy: 'check the stack that owns it',
        });
      const hasWarmPool = group.WarmPoolConfiguration !== undefined;
      const pool = hasWarmPool ? await warmPoolMembers(client, groupName) : [];
      const version = templateVersion(group);
      return {
        name: groupName,
        minSize: group.MinSize ?? 0,
        maxSize: group.MaxSize ?? 0,
        desiredCapacity: group.DesiredCapacity ?? 0,
        instances: [...(group.Instances ?? []).map((member) => toInstance(member, false)), ...pool],
        hasWarmPool,
        ...(version === undefined ? {} : { launchTemplateVersion: version }),
      };
    },
  };
}

async function warmPoolMembers(client: Sender, groupName: string): Promise<FleetInstance[]> {
  const members: FleetInstance[] = [];
  let token: string | undefined;
  for (let page = 0; page < mostWarmPoolPages; page++) {
    const answer = await client.send(
      new DescribeWarmPoolCommand({ AutoScalingGroupName: groupName, NextToken: token }),
    );
    members.push(...(answer.Instances ?? []).map((member) => toInstance(member, true)));
    token = answer.NextToken;
    if (token === undefined) break;
  }
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

/** A transition begins with its scaling activity: no API tells when a hook began. */
export function transitionTimes(client: Sender, groupName: string): TransitionTimes {
  return {
    async startedAt(instanceIds) {
      const missing = new Set(instanceIds);
      const found = new Map<string, number>();
      let token: string | undefined;
      for (let page = 0; page < mostActivityPages && missing.size > 0; page++) {
        const answer = await client.send(
          new DescribeScalingActivitiesCommand({ AutoScalingGroupName: groupName, MaxRecords: 100, NextToken: token }),
        );
        for (const activity of answer.Activities ?? []) {
          const id = /\bi-[0-9a-f]+/.exec(activity.Description ?? '')?.[0];
          if (id === undefined || !missing.delete(id)) continue;
          found.set(id, activity.StartTime?.getTime() ?? 0);
        }
        token = answer.NextToken;
        if (token === undefined) break;
      }
      return found;
    },
  };
}

export function lifecycleHooks(client: Sender, groupName: string): LifecycleHooks {
  return {
    async complete(instanceId, hook, result) {
      const command = new CompleteLifecycleActionCommand({
        AutoScalingGroupName: groupName,
        LifecycleHookName: hook,
        InstanceId: instanceId,
        LifecycleActionResult: result,
      });
      return (await unlessNotOpen(client.send(command))) ? 'completed' : 'not-open';
    },
    async heartbeat(instanceId, hook) {
      const command = new RecordLifecycleActionHeartbeatCommand({
        AutoScalingGroupName: groupName,
        LifecycleHookName: hook,
        InstanceId: instanceId,
      });
      return (await unlessNotOpen(client.send(command))) ? 'extended' : 'not-open';
    },
  };
}

/** AWS answers ValidationError when no such action is open: it was completed before, or the instance is gone. */
async function unlessNotOpen(answer: Promise<unknown>): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    if (
      (error as Error).name === 'ValidationError' &&
      /No active Lifecycle Action|not found|not in/i.test((error as Error).message)
    )
      return false;
    throw error;
  }
}

export function groupMembers(client: Sender, groupName: string): GroupMembers {
  return {
    // The only way to replace a member of the warm pool: TerminateInstanceInAutoScalingGroup cannot be called on one (API reference).
    async markUnhealthy(instanceId) {
      await client.send(
        new SetInstanceHealthCommand({
          InstanceId: instanceId,
          HealthStatus: 'Unhealthy',
          ShouldRespectGracePeriod: false,
        }),
      );
    },
    async clearProtection(instanceId) {
      await client.send(
        new SetInstanceProtectionCommand({
          AutoScalingGroupName: groupName,
          InstanceIds: [instanceId],
          ProtectedFromScaleIn: false,
        }),
      );
    },
  };
}
