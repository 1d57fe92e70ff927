import { type AwsCalls, explained } from '@drover/adapters/aws';
import { TerminalError } from '@drover/core';
import { redeploymentEnvironment as keys } from '@drover/core/names/search-cluster';
import { type ModuleRuntime, required } from '../module-function.ts';

type Runtime = Pick<ModuleRuntime<'ecs' | 'secretsmanager'>, 'env' | 'log' | 'aws'>;

/**
 * A pass of the web UI's redeployment: tasks that started before their secret changed are replaced. Where they log in
 * with a token, a label on the secret's version says that all of them have it, and only then the one before may go.
 */
export function webUiRedeploymentFunction({ env, log, aws }: Runtime): (event: unknown) => Promise<void> {
  const service = { cluster: required(env, keys.cluster), service: required(env, keys.service) };
  const SecretId = required(env, keys.secret);
  const label = env[keys.label];
  const ecs = explained(aws, 'ecs');
  const secrets = explained(aws, 'secretsmanager');
  return async () => {
    const [secret, deployment] = [await readSecret(secrets, SecretId, label), await readDeployment(ecs, service)];
    const step = decideRedeployment(secret, deployment, label !== undefined);
    if (step === 'replace-tasks') {
      await ecs('UpdateService', { ...service, forceNewDeployment: true });
      log.info('the secret is newer than the tasks: they are replaced', { ...secret, ...deployment });
    } else if (step === 'confirm') {
      const { current: MoveToVersionId, labelled: RemoveFromVersionId } = secret;
      const from = RemoveFromVersionId === undefined ? {} : { RemoveFromVersionId };
      await secrets('UpdateSecretVersionStage', {
        SecretId,
        VersionStage: label!,
        MoveToVersionId: MoveToVersionId!,
        ...from,
      });
      log.info('all tasks have the secret', { ...secret });
    }
  };
}

interface ShownSecret {
  /** In seconds since 1970, when it was last changed in any way, also by a label. */
  readonly changedAt: number;
  /** The version with AWSCURRENT, undefined while there is no value. */
  readonly current?: string | undefined;
  /** The version with our label. */
  readonly labelled?: string | undefined;
}

interface ShownDeployment {
  /** In seconds since 1970. */
  readonly deployedAt: number;
  /** No task of an earlier deployment is left. */
  readonly completed: boolean;
}

export type RedeploymentStep = 'replace-tasks' | 'confirm' | 'none';

/**
 * The next step with the tasks. A change in the second of the deployment may have come after it. A label changes the
 * secret, too: a version that has ours is looked at no more.
 */
export function decideRedeployment(
  { changedAt, current, labelled }: ShownSecret,
  { deployedAt, completed }: ShownDeployment,
  labels: boolean,
): RedeploymentStep {
  if (labels && current !== undefined && current === labelled) return 'none';
  if (Math.floor(changedAt) >= Math.floor(deployedAt)) return 'replace-tasks';
  return labels && current !== undefined && completed ? 'confirm' : 'none';
}

const seconds = (time: Date | undefined) => (time?.getTime() ?? Number.NaN) / 1000;

/** Its value is not read. */
async function readSecret(
  secrets: AwsCalls['secretsmanager'],
  SecretId: string,
  label: string | undefined,
): Promise<ShownSecret> {
  const { LastChangedDate, CreatedDate, VersionIdsToStages = {} } = await secrets('DescribeSecret', { SecretId });
  const holder = (stage: string | undefined) =>
    Object.entries(VersionIdsToStages).find(([, stages]) => stages?.some((each) => each === stage))?.[0];
  return { changedAt: seconds(LastChangedDate ?? CreatedDate), current: holder('AWSCURRENT'), labelled: holder(label) };
}

interface ServiceName {
  readonly cluster: string;
  readonly service: string;
}

async function readDeployment(ecs: AwsCalls['ecs'], { cluster, service }: ServiceName): Promise<ShownDeployment> {
  const { services } = await ecs('DescribeServices', { cluster, services: [service] });
  const deployments = services?.[0]?.deployments ?? [];
  const current = deployments.find(({ status }) => status === 'PRIMARY');
  if (current === undefined) throw new TerminalError(`the service ${service} of ${cluster} has no deployment`);
  const completed = deployments.length === 1 && current.rolloutState === 'COMPLETED';
  return { deployedAt: seconds(current.createdAt), completed };
}
