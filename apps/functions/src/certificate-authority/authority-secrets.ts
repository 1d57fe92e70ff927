import { awsCode } from '@drover/adapters/aws/errors';
import type { JsonApi } from '@drover/adapters/aws/json-api';
import { Secret } from '@drover/core';

/** A secret that may still be empty. */
export interface AuthoritySecret {
  /** Undefined while it has no value. */
  read(): Promise<Secret | undefined>;
  /** Writes a value unless this request has written one before: then that one stays. */
  write(value: Secret, requestId: string): Promise<void>;
}

/** Secrets Manager's two calls. A version's id is the request's, so that of two deliveries of one request one writes. */
export function authoritySecret(aws: JsonApi, SecretId: string): AuthoritySecret {
  const call = (operation: string, input: Readonly<Record<string, unknown>>) =>
    aws({ service: 'secretsmanager', target: 'secretsmanager', operation, input: { SecretId, ...input } });
  return {
    async read() {
      try {
        const { SecretString } = await call('GetSecretValue', {});
        return typeof SecretString === 'string' && SecretString !== '' ? new Secret(SecretString) : undefined;
      } catch (error) {
        if (isEmpty(error)) return undefined;
        throw error;
      }
    },
    async write(value, ClientRequestToken) {
      try {
        await call('PutSecretValue', { SecretString: value.reveal(), ClientRequestToken });
      } catch (error) {
        if (awsCode(error) !== 'ResourceExistsException') throw error;
      }
    },
  };
}

/** The secret is there, but has no version yet; a secret that does not exist is an error. */
const isEmpty = (error: unknown) =>
  awsCode(error) === 'ResourceNotFoundException' && /staging label|VersionStage/i.test((error as Error).message);
