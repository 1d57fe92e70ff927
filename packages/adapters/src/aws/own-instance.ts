import {
  type AutoScalingClient,
  DescribeAutoScalingInstancesCommand,
  SetInstanceProtectionCommand,
} from '@aws-sdk/client-auto-scaling';
import { DescribeSecretCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { tokenSecretName } from '@drover/core/names/runner-fleet';
import type { OwnPlace, OwnToken } from '@drover/runner-fleet';
import type { FleetClients } from './clients.ts';
import { lifecycleHooks } from './group.ts';
import { writeReport } from './host-reports.ts';
import { deleteTokenSecret, readTokenSecret } from './token-secrets.ts';

interface Own {
  readonly instanceId: string;
  readonly groupName: string;
}

/** An instance's own place in its group, with the rights of its own role. */
export function ownPlace(clients: Pick<FleetClients, 'autoscaling'>, own: Own, endpoint?: string): OwnPlace {
  const hooks = lifecycleHooks(clients.autoscaling, own.groupName);
  return {
    lifecycleState: () => lifecycleState(clients.autoscaling, own.instanceId),
    protect: (on) => protect(clients.autoscaling, own, on),
    completeHook: async (hook, result) => void (await hooks.complete(own.instanceId, hook, result)),
    heartbeat: async (hook) => void (await hooks.heartbeat(own.instanceId, hook)),
    report: (report) => writeReport({ neighbour: clients.autoscaling, endpoint }, own.instanceId, report),
  };
}

async function lifecycleState(
  client: Pick<AutoScalingClient, 'send'>,
  instanceId: string,
): Promise<string | undefined> {
  const answer = await client.send(new DescribeAutoScalingInstancesCommand({ InstanceIds: [instanceId] }));
  return answer.AutoScalingInstances?.[0]?.LifecycleState;
}

/** AWS refuses protection outside InService and Standby. */
async function protect(client: Pick<AutoScalingClient, 'send'>, own: Own, on: boolean): Promise<'done' | 'refused'> {
  try {
    await client.send(
      new SetInstanceProtectionCommand({
        AutoScalingGroupName: own.groupName,
        InstanceIds: [own.instanceId],
        ProtectedFromScaleIn: on,
      }),
    );
    return 'done';
  } catch (error) {
    if ((error as Error).name === 'ValidationError') return 'refused';
    throw error;
  }
}

export function ownToken(client: Pick<SecretsManagerClient, 'send'>, own: Own): OwnToken {
  return {
    async exists() {
      try {
        const { DeletedDate } = await client.send(
          new DescribeSecretCommand({ SecretId: tokenSecretName(own.groupName, own.instanceId) }),
        );
        return DeletedDate === undefined;
      } catch (error) {
        if ((error as Error).name === 'ResourceNotFoundException') return false;
        throw error;
      }
    },
    read: () => readTokenSecret(client, own.groupName, own.instanceId),
    delete: () => deleteTokenSecret(client, own.groupName, own.instanceId),
  };
}
