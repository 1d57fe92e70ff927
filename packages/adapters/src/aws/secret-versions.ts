import type { SecretVersion, SecretVersions } from '@drover/search-cluster';
import type { ClusterAws } from './clients.ts';
import { awsCode, call } from './errors.ts';
import { secretsSdk } from './sdk-modules.ts';

/** Versions of a secret by stage. Storing under AWSPENDING alone leaves AWSCURRENT where it is. */
export const secretVersions = (aws: ClusterAws): SecretVersions => ({
  read: async (secretId, stage) => {
    const client = await aws.secrets();
    const { GetSecretValueCommand } = await secretsSdk();
    const input = { SecretId: secretId, VersionStage: stage };
    try {
      const answer = await call('secretsmanager:GetSecretValue', () => client.send(new GetSecretValueCommand(input)));
      return {
        id: answer.VersionId!,
        value: answer.SecretString ?? Buffer.from(answer.SecretBinary ?? []).toString('utf8'),
      };
    } catch (error) {
      if (isStageMissing(error)) return undefined;
      throw error;
    }
  },
  putPending: async (secretId, value) => {
    const client = await aws.secrets();
    const { PutSecretValueCommand } = await secretsSdk();
    const input = { SecretId: secretId, SecretString: value, VersionStages: ['AWSPENDING'] };
    await call('secretsmanager:PutSecretValue', () => client.send(new PutSecretValueCommand(input)));
  },
  promote: (secretId, pending, current) => promote(aws, secretId, pending, current),
});

/** A secret that exists without a version of this stage; a secret that does not exist is an error. */
const isStageMissing = (error: unknown) =>
  awsCode(error) === 'ResourceNotFoundException' && /staging label|VersionStage/i.test((error as Error).message);

async function promote(
  aws: ClusterAws,
  secretId: string,
  pending: SecretVersion,
  current: SecretVersion | undefined,
): Promise<void> {
  const client = await aws.secrets();
  const { UpdateSecretVersionStageCommand } = await secretsSdk();
  const from = current === undefined ? {} : { RemoveFromVersionId: current.id };
  const move = { SecretId: secretId, VersionStage: 'AWSCURRENT', MoveToVersionId: pending.id, ...from };
  await call('secretsmanager:UpdateSecretVersionStage', () => client.send(new UpdateSecretVersionStageCommand(move)));
  const drop = { SecretId: secretId, VersionStage: 'AWSPENDING', RemoveFromVersionId: pending.id };
  await call('secretsmanager:UpdateSecretVersionStage', () => client.send(new UpdateSecretVersionStageCommand(drop)));
}
