import type { LabelledVersion, SecretVersion, SecretVersions } from '@drover/search-cluster/ports';
import { instead } from '../instead.ts';
import type { AwsCalls } from './calls/calls.ts';
import { explained, hasCode } from './calls/errors.ts';

/** Versions of a secret by stage. Storing under AWSPENDING alone leaves AWSCURRENT where it is; the first version of a secret gets both. */
export function secretVersions(aws: Pick<AwsCalls, 'secretsmanager'>): SecretVersions {
  const secrets = explained(aws, 'secretsmanager');
  const read = async (SecretId: string, VersionStage: string): Promise<SecretVersion | undefined> => {
    const asked = secrets('GetSecretValue', { SecretId, VersionStage });
    const found = await asked.catch(instead(isWithoutVersion, undefined));
    const value = found?.SecretString ?? Buffer.from(found?.SecretBinary ?? []).toString('utf8');
    return found && { id: found.VersionId!, value, createdAt: Number(found.CreatedDate) };
  };
  return {
    read,
    labelled: async (secretId) => {
      const { VersionIdsToStages = {} } = await secrets('DescribeSecret', { SecretId: secretId });
      const labels = Object.values(VersionIdsToStages).flat();
      const found: LabelledVersion[] = [];
      for (const label of labels.filter((each) => !each.startsWith('AWS')).sort()) {
        const version = await read(secretId, label);
        if (version !== undefined) found.push({ label, ...version });
      }
      return found;
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
export const isWithoutVersion = hasCode(/^ResourceNotFoundException$/, /staging label|VersionStage/i);
