import type { OwnPlace, OwnToken } from '@drover/runner-fleet';
import type { GroupMembership } from '@drover/search-cluster/ports';
import { instead } from '../../instead.ts';
import type { AwsCalls } from '../calls/calls.ts';
import { explained, hasCode } from '../calls/errors.ts';
import { lifecycleHooks } from '../lifecycle-hooks.ts';
import { deleteTokenSecret, findToken, readTokenSecret } from '../token-secrets.ts';
import { type ReportPlace, writeReport } from './host-reports.ts';

interface Own {
  readonly instanceId: string;
  readonly groupName: string;
}

/** A runner instance's own place in its group, with the rights of its own role. */
export function ownPlace(
  aws: Pick<AwsCalls, 'autoscaling' | 's3'>,
  own: Own,
  reports: ReportPlace | undefined,
): OwnPlace {
  const hooks = lifecycleHooks(aws, { of: () => own.groupName });
  return {
    lifecycleState: () => lifecycleState(aws, own.instanceId),
    completeHook: (hook, result) => hooks.complete(own.instanceId, hook, result),
    protect: (on) => protect(aws, own, on),
    heartbeat: async (hook) => void (await hooks.heartbeat(own.instanceId, hook)),
    report: (report) => writeReport(aws, reports, own.instanceId, report),
  };
}

async function lifecycleState(aws: Pick<AwsCalls, 'autoscaling'>, instanceId: string): Promise<string | undefined> {
  const { AutoScalingInstances } = await aws.autoscaling('DescribeAutoScalingInstances', { InstanceIds: [instanceId] });
  return AutoScalingInstances?.[0]?.LifecycleState;
}

/** AWS refuses protection outside InService and Standby. */
function protect(aws: Pick<AwsCalls, 'autoscaling'>, own: Own, on: boolean): Promise<'done' | 'refused'> {
  const input = { AutoScalingGroupName: own.groupName, InstanceIds: [own.instanceId], ProtectedFromScaleIn: on };
  return aws
    .autoscaling('SetInstanceProtection', input)
    .then(() => 'done' as const)
    .catch(instead(hasCode(/^ValidationError$/), 'refused'));
}

/** A runner instance's own registration token. */
export function ownToken(aws: Pick<AwsCalls, 'secretsmanager'>, own: Own): OwnToken {
  return {
    async exists() {
      const found = await findToken(aws, own.groupName, own.instanceId);
      return found !== undefined && found.empty !== true;
    },
    keepFailed: async () => (await findToken(aws, own.groupName, own.instanceId))?.keepFailed === true,
    read: () => readTokenSecret(aws, own.groupName, own.instanceId),
    delete: () => deleteTokenSecret(aws, own.groupName, own.instanceId),
  };
}

/** A search node's group and its true state there: metadata shows only where it is going. */
export function groupMembership(aws: Pick<AwsCalls, 'autoscaling'>): GroupMembership {
  const autoscaling = explained(aws, 'autoscaling');
  return {
    memberOf: async (instanceId) => {
      const { AutoScalingInstances } = await autoscaling('DescribeAutoScalingInstances', { InstanceIds: [instanceId] });
      const found = AutoScalingInstances?.find(({ InstanceId }) => InstanceId === instanceId);
      if (found?.AutoScalingGroupName === undefined || found.LifecycleState === undefined) return undefined;
      return { instanceId, groupName: found.AutoScalingGroupName, lifecycleState: found.LifecycleState };
    },
  };
}
