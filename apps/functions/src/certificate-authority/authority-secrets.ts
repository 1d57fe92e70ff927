import { type AwsCalls, awsCode, explained, isWithoutVersion } from '@drover/adapters/aws';
import { Secret } from '@drover/core';

/** A secret that may still be empty. */
export interface AuthoritySecret {
  /** Undefined while it has no value. */
  read(stage?: 'AWSCURRENT' | 'AWSPENDING'): Promise<Secret | undefined>;
  /** Writes a value unless this request has written one before: then that one stays. */
  write(value: Secret, requestId: string, stages?: readonly string[]): Promise<void>;
}

/** A version's id is the request's, so that of two deliveries of one request one writes. */
export function authoritySecret(aws: Pick<AwsCalls, 'secretsmanager'>, SecretId: string): AuthoritySecret {
  const secrets = explained(aws, 'secretsmanager');
  return {
    async read(VersionStage = 'AWSCURRENT') {
      try {
        const { SecretString = '' } = await secrets('GetSecretValue', { SecretId, VersionStage });
        return SecretString === '' ? undefined : new Secret(SecretString);
      } catch (error) {
        if (isWithoutVersion(error)) return undefined;
        throw error;
      }
    },
    async write(value, ClientRequestToken, stages) {
      const VersionStages = stages === undefined ? {} : { VersionStages: [...stages] };
      try {
        await secrets('PutSecretValue', {
          SecretId,
          SecretString: value.reveal(),
          ClientRequestToken,
          ...VersionStages,
        });
      } catch (error) {
        if (awsCode(error) !== 'ResourceExistsException') throw error;
      }
    },
  };
}
