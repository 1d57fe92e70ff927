import { TerminalError } from '@drover/core/errors';
import type { GroupMember, HookAnswer, HookFacts, LifecycleHook } from '@drover/search-cluster';
import type { ClusterAws } from './clients.ts';
import { awsCode, call } from './errors.ts';
import { activityStart } from './scaling-activities.ts';
import { autoScalingSdk } from './sdk-modules.ts';

/** Keeps a hook open, completes it, and finds out when it began. */
export const lifecycleHook = (aws: ClusterAws): LifecycleHook => ({
  describe: async (member, hookName) => ({
    ...(await describeHook(aws, member, hookName)),
    startedAt: await activityStart(aws, member),
  }),
  heartbeat: async (member, hookName) => {
    const client = await aws.autoScaling();
    const { RecordLifecycleActionHeartbeatCommand } = await autoScalingSdk();
    const command = new RecordLifecycleActionHeartbeatCommand(target(member, hookName));
    return await whileWaiting('autoscaling:RecordLifecycleActionHeartbeat', () => client.send(command));
  },
  complete: async (member, hookName, result) => {
    const client = await aws.autoScaling();
    const { CompleteLifecycleActionCommand } = await autoScalingSdk();
    const input = { ...target(member, hookName), LifecycleActionResult: result };
    return await whileWaiting('autoscaling:CompleteLifecycleAction', () =>
      client.send(new CompleteLifecycleActionCommand(input)),
    );
  },
});

const target = (member: GroupMember, hookName: string) => ({
  AutoScalingGroupName: member.groupName,
  LifecycleHookName: hookName,
  InstanceId: member.instanceId,
});

async function describeHook(
  aws: ClusterAws,
  member: GroupMember,
  hookName: string,
): Promise<Omit<HookFacts, 'startedAt'>> {
  const client = await aws.autoScaling();
  const { DescribeLifecycleHooksCommand } = await autoScalingSdk();
  const input = { AutoScalingGroupName: member.groupName };
  const { LifecycleHooks = [] } = await call('autoscaling:DescribeLifecycleHooks', () =>
    client.send(new DescribeLifecycleHooksCommand(input)),
  );
  const found = LifecycleHooks.find((hook) => hook.LifecycleHookName === hookName);
  if (found === undefined) {
    const names = LifecycleHooks.map((hook) => hook.LifecycleHookName).join(', ') || 'none';
    throw new TerminalError(`group ${member.groupName} has no lifecycle hook ${hookName} (it has ${names})`, {
      remedy: 'name the right hook',
    });
  }
  return {
    name: hookName,
    heartbeatTimeoutMs: (found.HeartbeatTimeout ?? 3600) * 1000,
    globalTimeoutMs: found.GlobalTimeout === undefined ? undefined : found.GlobalTimeout * 1000,
  };
}

/** An instance that waits no longer is no failure: somebody else has completed the hook, or its time was over. */
async function whileWaiting(what: string, act: () => Promise<unknown>): Promise<HookAnswer> {
  try {
    await call(what, act);
    return 'accepted';
  } catch (error) {
    if (awsCode(error) === 'ValidationError' && /No active Lifecycle Action/i.test((error as Error).message))
      return 'not-waiting';
    throw error;
  }
}
