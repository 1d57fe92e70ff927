import type { SecretVersions } from '@drover/search-cluster/ports';
import type { AwsCalls } from './calls/calls.ts';
import { awsCode, explained } from './calls/errors.ts';

/** Versions of a secret by stage. Storing under AWSPENDING alone leaves AWSCURRENT where it is; the first version of a secret gets both. */
export function secretVersions(aws: Pick<AwsCalls, 'secretsmanager'>): SecretVersions {
  const secrets = explained(aws, 'secretsmanager');
  return {
    read: async (secretId, stage) => {
      try {
        const found = await secrets('GetSecretValue', { SecretId: secretId, VersionStage: stage });
        const value = found.SecretString ?? Buffer.from(found.SecretBinary ?? []).toString('utf8');
        return { id: found.VersionId!, value };
      } catch (error) {
        if (isWithoutVersion(error)) return undefined;
        throw error;
      }
    },
    putPending: async (secretId, value) => {
      await secrets('PutSecretValue', { SecretId: secretId, SecretString: value, VersionStages: ['AWSPENDING'] });
    },
    promote: async (secretId, pending, current) => {
      if (current?.id !== pending.id)
        await secrets('UpdateSecretVersionStage', {
          SecretId: secretId,
          VersionStage: 'AWSCURRENT',
          MoveToVersionId: pending.id,
          ...(current === undefined ? {} : { RemoveFromVersionId: current.id }),
        });
      await secrets('UpdateSecretVersionStage', {
        SecretId: secretId,
        VersionStage: 'AWSPENDING',
        RemoveFromVersionId: pending.id,
      });
    },
  };
}

/** A secret that exists without a version of the wanted stage; a secret that does not exist is an error. */
export const isWithoutVersion = (error: unknown): boolean =>
  awsCode(error) === 'ResourceNotFoundException' && /staging label|VersionStage/i.test((error as Error).message);
