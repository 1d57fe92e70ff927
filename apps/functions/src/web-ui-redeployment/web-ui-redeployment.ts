import { type AwsCalls, explained } from '@drover/adapters/aws';
import { TerminalError } from '@drover/core';
import { redeploymentEnvironment as keys } from '@drover/core/names/search-cluster';
import { type ModuleRuntime, required } from '../module-function.ts';

/** A pass of the web UI's redeployment: tasks that started before their secret changed are replaced. */
export function webUiRedeploymentFunction({
  env,
  log,
  aws,
}: Pick<ModuleRuntime<'ecs' | 'secretsmanager'>, 'env' | 'log' | 'aws'>): (event: unknown) => Promise<void> {
  const service = { cluster: required(env, keys.cluster), service: required(env, keys.service) };
  const secretId = required(env, keys.secret);
  const ecs = explained(aws, 'ecs');
  const secrets = explained(aws, 'secretsmanager');
  return async () => {
    const [changedAt, deployedAt] = [await secretChangedAt(secrets, secretId), await serviceDeployedAt(ecs, service)];
    if (!isOutdated(changedAt, deployedAt)) return;
    await ecs('UpdateService', { ...service, forceNewDeployment: true });
    log.info('the secret is newer than the tasks: they are replaced', { changedAt, deployedAt });
  };
}

/** Both in seconds since 1970: a change in the second of the deployment may have come after it. */
export const isOutdated = (secretChangedAt: number, deployedAt: number): boolean =>
  Math.floor(secretChangedAt) >= Math.floor(deployedAt);

const seconds = (time: Date | undefined) => (time?.getTime() ?? Number.NaN) / 1000;

/** When the secret was last changed in any way. Its value is not read. */
async function secretChangedAt(secrets: AwsCalls['secretsmanager'], SecretId: string): Promise<number> {
  const { LastChangedDate, CreatedDate } = await secrets('DescribeSecret', { SecretId });
  return seconds(LastChangedDate ?? CreatedDate);
}

interface ServiceName {
  readonly cluster: string;
  readonly service: string;
}

async function serviceDeployedAt(ecs: AwsCalls['ecs'], { cluster, service }: ServiceName): Promise<number> {
  const { services } = await ecs('DescribeServices', { cluster, services: [service] });
  const current = services?.[0]?.deployments?.find(({ status }) => status === 'PRIMARY');
  if (current === undefined) throw new TerminalError(`the service ${service} of ${cluster} has no deployment`);
  return seconds(current.createdAt);
}
