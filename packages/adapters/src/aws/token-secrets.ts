import { Secret } from '@drover/core';
import { tags, tokenSecretName, tokenSecretPrefix } from '@drover/core/names/runner-fleet';
import type { TokenSecretFacts, TokenSecrets } from '@drover/runner-fleet';
import type { AwsCalls } from './calls/calls.ts';
import { awsCode } from './calls/errors.ts';

type Aws = Pick<AwsCalls, 'secretsmanager'>;
const mostPages = 100;

/** Registration tokens as secrets named for, tagged with and readable by one instance each. */
export function tokenSecrets(aws: Aws, groupName: string, instanceArnPrefix: string): TokenSecrets {
  return {
    list: () => listTokens(aws, tokenSecretPrefix(groupName)),

    async store(instanceId, value) {
      const name = tokenSecretName(groupName, instanceId);
      try {
        await aws.secretsmanager('CreateSecret', {
          Name: name,
          SecretString: value.reveal(),
          Tags: [{ Key: tags.secretInstance, Value: `${instanceArnPrefix}${instanceId}` }],
        });
      } catch (error) {
        if (awsCode(error) !== 'ResourceExistsException') throw error;
        await aws.secretsmanager('PutSecretValue', { SecretId: name, SecretString: value.reveal() });
      }
    },

    delete: (instanceId) => deleteTokenSecret(aws, groupName, instanceId),
  };
}

async function listTokens(aws: Aws, prefix: string): Promise<readonly TokenSecretFacts[]> {
  const found: TokenSecretFacts[] = [];
  let token: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const { SecretList = [], NextToken } = await aws.secretsmanager('ListSecrets', {
      Filters: [{ Key: 'name', Values: [prefix] }],
      MaxResults: 100,
      NextToken: token,
    });
    for (const secret of SecretList)
      if (secret.Name?.startsWith(prefix) && secret.DeletedDate === undefined)
        found.push({
          instanceId: secret.Name.slice(prefix.length),
          storedAt: (secret.LastChangedDate ?? secret.CreatedDate)?.getTime() ?? 0,
        });
    token = NextToken;
    if (token === undefined) break;
  }
  return found;
}

/** Without a recovery window: a used token must not come back. An absent one is as good as deleted. */
export async function deleteTokenSecret(aws: Aws, groupName: string, instanceId: string): Promise<void> {
  try {
    await aws.secretsmanager('DeleteSecret', {
      SecretId: tokenSecretName(groupName, instanceId),
      ForceDeleteWithoutRecovery: true,
    });
  } catch (error) {
    if (awsCode(error) !== 'ResourceNotFoundException') throw error;
  }
}

/** The instance's own token, or undefined while it is not there. */
export async function readTokenSecret(aws: Aws, groupName: string, instanceId: string): Promise<Secret | undefined> {
  return await readSecret(aws, tokenSecretName(groupName, instanceId)).catch((error: Error) => {
    if (/^(ResourceNotFound|InvalidRequest)Exception$/.test(awsCode(error))) return undefined;
    throw error;
  });
}

/** A secret's text without white space around it. */
export async function readSecret(aws: Aws, secretId: string): Promise<Secret> {
  const { SecretString = '' } = await aws.secretsmanager('GetSecretValue', { SecretId: secretId });
  return new Secret(SecretString.trim());
}
