import {
  CreateSecretCommand,
  DeleteSecretCommand,
  GetSecretValueCommand,
  ListSecretsCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { Secret } from '@drover/core';
import { tags, tokenSecretName, tokenSecretPrefix } from '@drover/core/names/runner-fleet';
import type { TokenSecretFacts, TokenSecrets } from '@drover/runner-fleet';

type Sender = Pick<SecretsManagerClient, 'send'>;
const mostPages = 100;

/** Registration tokens as secrets named for, tagged with and readable by one instance each. */
export function tokenSecrets(client: Sender, groupName: string, instanceArnPrefix: string): TokenSecrets {
  return {
    async list() {
      const found: TokenSecretFacts[] = [];
      const prefix = tokenSecretPrefix(groupName);
      let token: string | undefined;
      for (let page = 0; page < mostPages; page++) {
        const answer = await client.send(
          new ListSecretsCommand({ Filters: [{ Key: 'name', Values: [prefix] }], MaxResults: 100, NextToken: token }),
        );
        for (const secret of answer.SecretList ?? [])
          if (secret.Name?.startsWith(prefix) && secret.DeletedDate === undefined)
            found.push({
              instanceId: secret.Name.slice(prefix.length),
              storedAt: (secret.LastChangedDate ?? secret.CreatedDate)?.getTime() ?? 0,
            });
        token = answer.NextToken;
        if (token === undefined) break;
      }
      return found;
    },

    async store(instanceId, value) {
      const name = tokenSecretName(groupName, instanceId);
      try {
        await client.send(
          new CreateSecretCommand({
            Name: name,
            SecretString: value.reveal(),
            Tags: [{ Key: tags.secretInstance, Value: `${instanceArnPrefix}${instanceId}` }],
          }),
        );
      } catch (error) {
        if ((error as Error).name !== 'ResourceExistsException') throw error;
        await client.send(new PutSecretValueCommand({ SecretId: name, SecretString: value.reveal() }));
      }
    },

    delete: (instanceId) => deleteTokenSecret(client, groupName, instanceId),
  };
}

/** Without a recovery window: a used token must not come back. An absent one is as good as deleted. */
export async function deleteTokenSecret(client: Sender, groupName: string, instanceId: string): Promise<void> {
  try {
    await client.send(
      new DeleteSecretCommand({ SecretId: tokenSecretName(groupName, instanceId), ForceDeleteWithoutRecovery: true }),
    );
  } catch (error) {
    if ((error as Error).name !== 'ResourceNotFoundException') throw error;
  }
}

/** The instance's own token, or undefined while it is not there. */
export async function readTokenSecret(
  client: Sender,
  groupName: string,
  instanceId: string,
): Promise<Secret | undefined> {
  return await readSecret(client, tokenSecretName(groupName, instanceId)).catch((error: Error) => {
    if (/^(ResourceNotFound|InvalidRequest)Exception$/.test(error.name)) return undefined;
    throw error;
  });
}

/** A secret may be a plain string or JSON with one of the usual keys. */
export async function readSecret(client: Sender, secretId: string): Promise<Secret> {
  const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
  return new Secret(SecretString.trim());
}
