import type { JsonApi } from '@drover/adapters/aws/json-api';
import { TerminalError } from '@drover/core';
import { redeploymentEnvironment as keys } from '@drover/core/names/search-cluster';
import { type ModuleSurroundings, required } from '../module-function.ts';

/** A pass of the web UI's redeployment: tasks that started before their secret changed are replaced. */
export function webUiRedeploymentFunction({ env, log, aws }: ModuleSurroundings): (event: unknown) => Promise<void> {
  const service = { cluster: required(env, keys.cluster), service: required(env, keys.service) };
  const secretId = required(env, keys.secret);
  return async () => {
    const [changedAt, deployedAt] = [await secretChangedAt(aws, secretId), await serviceDeployedAt(aws, service)];
    if (!isOutdated(changedAt, deployedAt)) return;
    await ecs(aws, 'UpdateService', { ...service, forceNewDeployment: true });
    log.info('the secret is newer than the tasks: they are replaced', { changedAt, deployedAt });
  };
}

/** Seconds since 1970, as both services tell them. A change in the second of the deployment may have come after it. */
export const isOutdated = (secretChangedAt: number, deployedAt: number): boolean =>
  Math.floor(secretChangedAt) >= Math.floor(deployedAt);

/** When the secret was last changed in any way. Its value is not read. */
async function secretChangedAt(aws: JsonApi, SecretId: string): Promise<number> {
  const input = { SecretId };
  const call = { service: 'secretsmanager', target: 'secretsmanager', operation: 'DescribeSecret', input };
  const { LastChangedDate, CreatedDate } = await aws(call);
  return Number(LastChangedDate ?? CreatedDate);
}

interface ServiceName {
  readonly cluster: string;
  readonly service: string;
}

interface Deployment {
  readonly status: string;
  readonly createdAt: number;
}

async function serviceDeployedAt(aws: JsonApi, { cluster, service }: ServiceName): Promise<number> {
  const { services } = await ecs(aws, 'DescribeServices', { cluster, services: [service] });
  const [found] = services as readonly { readonly deployments: readonly Deployment[] }[];
  const current = found?.deployments.find(({ status }) => status === 'PRIMARY');
  if (current === undefined) throw new TerminalError(`the service ${service} of ${cluster} has no deployment`);
  return current.createdAt;
}

const ecs = (aws: JsonApi, operation: string, input: Readonly<Record<string, unknown>>) =>
  aws({ service: 'ecs', target: 'AmazonEC2ContainerServiceV20141113', operation, input });
