import { Secret, TerminalError } from '@drover/core';
import { tags, tokenSecretName, tokenSecretPrefix, typeGroupName } from '@drover/core/names/runner-fleet';
import type { TokenSecretFacts, TokenSecrets, TypeSecrets } from '@drover/runner-fleet';
import { instead } from '../instead.ts';
import type { AwsCalls } from './calls/calls.ts';
import { hasCode } from './calls/errors.ts';
import { pages } from './calls/pages.ts';

type Aws = Pick<AwsCalls, 'secretsmanager'>;
type Tag = { readonly Key?: string | undefined; readonly Value?: string | undefined };
const mostPages = 100;
const isAbsent = /* @__PURE__ */ hasCode(/^ResourceNotFoundException$/);
const isRefused = /* @__PURE__ */ hasCode(/^AccessDeniedException$/);

/** Registration tokens as secrets named for, tagged with and readable by one instance each; those of a further type also have its fleet as a tag. */
export function tokenSecrets(aws: Aws, groupName: string, instanceArnPrefix: string, fleet?: string): TokenSecrets {
  const ofFleet = fleet === undefined ? [] : [{ Key: tags.fleet, Value: fleet }];
  const create = (instanceId: string, content: { readonly SecretString?: string }) =>
    aws.secretsmanager('CreateSecret', {
      Name: tokenSecretName(groupName, instanceId),
      ...content,
      Tags: [{ Key: tags.secretInstance, Value: `${instanceArnPrefix}${instanceId}` }, ...ofFleet],
    });

  async function put(instanceId: string, value: Secret): Promise<void> {
    const SecretId = tokenSecretName(groupName, instanceId);
    await aws.secretsmanager('PutSecretValue', { SecretId, SecretString: value.reveal() });
  }

  return {
    list: () => listTokens(aws, tokenSecretPrefix(groupName)),
    find: (instanceId) => findToken(aws, groupName, instanceId),

    async store(instanceId, value) {
      const exists = instead(hasCode(/^ResourceExistsException$/), 'exists');
      if ((await create(instanceId, { SecretString: value.reveal() }).catch(exists)) === 'exists')
        await put(instanceId, value);
    },

    // The name of one that is being deleted is not free yet.
    claim: (instanceId) =>
      create(instanceId, {})
        .then(() => 'claimed' as const)
        .catch(instead(hasCode(/^(ResourceExists|InvalidRequest)Exception$/), 'taken')),
    fill: put,

    async keepFailed(instanceId) {
      const SecretId = tokenSecretName(groupName, instanceId);
      const Tags = [{ Key: tags.keepFailed, Value: 'true' }];
      await unlessAbsent(aws.secretsmanager('TagResource', { SecretId, Tags }));
    },

    delete: (instanceId) => deleteTokenSecret(aws, groupName, instanceId),
  };
}

/** The secrets of all further types of a fleet, by the tag with its name: also of types that were removed. */
export function typeSecrets(aws: Aws, fleet: string): TypeSecrets {
  const prefix = tokenSecretPrefix(typeGroupName(fleet, '')).slice(0, -1);
  return {
    async list() {
      const found = await listTokens(aws, prefix, ({ Tags = [] }) =>
        Tags.some(({ Key, Value }) => Key === tags.fleet && Value === fleet),
      );
      return found.map(({ instanceId: rest, storedAt }) => {
        const [type = '', instanceId = ''] = rest.split('/');
        return { groupName: typeGroupName(fleet, type), instanceId, storedAt };
      });
    },
    delete: (groupName, instanceId) => deleteTokenSecret(aws, groupName, instanceId),
  };
}

async function listTokens(
  aws: Aws,
  prefix: string,
  isOurs: (secret: { Tags?: Tag[] | undefined }) => boolean = () => true,
): Promise<readonly TokenSecretFacts[]> {
  const found: TokenSecretFacts[] = [];
  const input = { Filters: [{ Key: 'name' as const, Values: [prefix] }], MaxResults: 100 };
  for await (const { SecretList = [] } of pages(
    (next) => aws.secretsmanager('ListSecrets', { ...input, ...next }),
    mostPages,
  ))
    for (const secret of SecretList)
      if (secret.Name?.startsWith(prefix) && secret.DeletedDate === undefined && isOurs(secret))
        found.push({ instanceId: secret.Name.slice(prefix.length), storedAt: storedAt(secret) });
  return found;
}

const storedAt = (secret: { LastChangedDate?: Date | undefined; CreatedDate?: Date | undefined }) =>
  (secret.LastChangedDate ?? secret.CreatedDate)?.getTime() ?? 0;

/** A secret by its name is shown as it is now. */
export async function findToken(
  aws: Aws,
  groupName: string,
  instanceId: string,
): Promise<TokenSecretFacts | undefined> {
  const asked = aws.secretsmanager('DescribeSecret', { SecretId: tokenSecretName(groupName, instanceId) });
  const secret = await asked.catch(instead(isAbsent, undefined));
  if (secret === undefined || secret.DeletedDate !== undefined) return undefined;
  const keepFailed = secret.Tags?.some(({ Key }) => Key === tags.keepFailed) === true;
  const empty = Object.keys(secret.VersionIdsToStages ?? {}).length === 0;
  return { instanceId, storedAt: storedAt(secret), ...(empty ? { empty } : {}), ...(keepFailed ? { keepFailed } : {}) };
}

/**
 * Without a recovery window: a used token must not come back. An absent one is as good as deleted; where a tag of the secret allows it, IAM
 * refuses what is absent.
 */
export async function deleteTokenSecret(aws: Aws, groupName: string, instanceId: string): Promise<void> {
  const SecretId = tokenSecretName(groupName, instanceId);
  try {
    await unlessAbsent(aws.secretsmanager('DeleteSecret', { SecretId, ForceDeleteWithoutRecovery: true }));
  } catch (error) {
    if (!isRefused(error) || (await findToken(aws, groupName, instanceId)) !== undefined) throw error;
  }
}

/** A host deletes its token as soon as it is registered: then there is nothing left to do. */
const unlessAbsent = async (call: Promise<unknown>): Promise<void> =>
  void (await call.catch(instead(isAbsent, undefined)));

/** The instance's own token, or undefined while it is not there. */
export const readTokenSecret = (aws: Aws, groupName: string, instanceId: string): Promise<Secret | undefined> =>
  readSecret(aws, tokenSecretName(groupName, instanceId)).catch(
    instead(hasCode(/^(ResourceNotFound|InvalidRequest)Exception$/), undefined),
  );

/** The keys under which a token or a private key is looked for in a secret that is JSON with several values. */
const usualKeys = ['token', 'private_key'];

/** A secret's text without white space around it. Of JSON, as the console makes it, its only value or that of a usual key. */
export async function readSecret(aws: Aws, secretId: string): Promise<Secret> {
  const { SecretString } = await aws.secretsmanager('GetSecretValue', { SecretId: secretId });
  if (SecretString === undefined) throw unusable(secretId, 'is binary');
  const text = SecretString.trim();
  return new Secret(text.startsWith('{') ? valueInJson(secretId, text) : text);
}

function valueInJson(secretId: string, text: string): string {
  const entries = entriesOf(text).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const usual = entries.filter(([key]) => usualKeys.includes(key));
  const [[, value] = [], another] = entries.length === 1 ? entries : usual;
  if (value !== undefined && another === undefined) return value.trim();
  throw unusable(
    secretId,
    `is JSON from which no value can be taken (keys: ${entries.map(([key]) => key).join(', ')})`,
  );
}

function entriesOf(text: string): [string, unknown][] {
  try {
    return Object.entries(JSON.parse(text) as object);
  } catch {
    return [];
  }
}

const unusable = (secretId: string, problem: string) =>
  new TerminalError(`the secret ${secretId} ${problem}`, {
    remedy: `store plain text, or JSON with one value, or with exactly one of the keys ${usualKeys.join(' and ')}`,
  });
