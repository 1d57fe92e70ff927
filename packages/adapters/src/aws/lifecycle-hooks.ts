import { TerminalError } from '@drover/core/errors';
import type { LifecycleHooks } from '@drover/runner-fleet';
import type { GroupMember, HookFacts } from '@drover/search-cluster';
import type { LifecycleHook } from '@drover/search-cluster/ports';
import { instead } from '../instead.ts';
import type { AwsCalls } from './calls/calls.ts';
import { explained, hasCode } from './calls/errors.ts';
import type { KnownGroups } from './group.ts';
import { activityStart } from './scaling-activities.ts';

type Aws = Pick<AwsCalls, 'autoscaling'>;

/** The lifecycle hooks of a runner fleet's groups. */
export function lifecycleHooks(aws: Aws, groups: Pick<KnownGroups, 'of'>): LifecycleHooks {
  const { complete, heartbeat } = hookActions(aws.autoscaling);
  const open = (instanceId: string, hook: string) => ({ groupName: groups.of(instanceId), instanceId, hook });
  return {
    complete: (instanceId, hook, result) => complete(open(instanceId, hook), result),
    heartbeat: (instanceId, hook) => heartbeat(open(instanceId, hook)),
  };
}

/** A lifecycle hook of a search cluster's group: keeps it open, completes it, and finds out when it began. */
export function lifecycleHook(aws: Aws): LifecycleHook {
  const autoscaling = explained(aws, 'autoscaling');
  const { complete, heartbeat } = hookActions(autoscaling);
  return {
    describe: async (member, hook) => ({
      ...(await describeHook(autoscaling, member, hook)),
      startedAt: await activityStart(aws, member),
    }),
    heartbeat: ({ groupName, instanceId }, hook) => heartbeat({ groupName, instanceId, hook }),
    complete: ({ groupName, instanceId }, hook, result) => complete({ groupName, instanceId, hook }, result),
  };
}

interface OpenHook {
  readonly groupName: string;
  readonly instanceId: string;
  readonly hook: string;
}

function hookActions(autoscaling: AwsCalls['autoscaling']) {
  const target = ({ groupName, instanceId, hook }: OpenHook) => ({
    AutoScalingGroupName: groupName,
    LifecycleHookName: hook,
    InstanceId: instanceId,
  });
  return {
    complete: (open: OpenHook, result: 'CONTINUE' | 'ABANDON') =>
      whileWaiting(autoscaling('CompleteLifecycleAction', { ...target(open), LifecycleActionResult: result })),
    heartbeat: (open: OpenHook) => whileWaiting(autoscaling('RecordLifecycleActionHeartbeat', target(open))),
  };
}

/** An instance that does not wait (any more) is no failure: the hook was completed before, or its time was over. */
const whileWaiting = (response: Promise<unknown>): Promise<'accepted' | 'not-waiting'> =>
  response
    .then(() => 'accepted' as const)
    .catch(instead(hasCode(/^ValidationError$/, /No active Lifecycle Action/i), 'not-waiting'));

async function describeHook(
  autoscaling: AwsCalls['autoscaling'],
  { groupName }: GroupMember,
  name: string,
): Promise<Omit<HookFacts, 'startedAt'>> {
  const { LifecycleHooks = [] } = await autoscaling('DescribeLifecycleHooks', { AutoScalingGroupName: groupName });
  const found = LifecycleHooks.find((hook) => hook.LifecycleHookName === name);
  if (found === undefined) {
    const names = LifecycleHooks.map((hook) => hook.LifecycleHookName).join(', ') || 'none';
    throw new TerminalError(`group ${groupName} has no lifecycle hook ${name} (it has ${names})`, {
      remedy: 'name the right hook',
    });
  }
  return {
    name,
    heartbeatTimeoutMs: (found.HeartbeatTimeout ?? 3600) * 1000,
    globalTimeoutMs: found.GlobalTimeout === undefined ? undefined : found.GlobalTimeout * 1000,
  };
}
