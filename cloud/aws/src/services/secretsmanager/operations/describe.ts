import type { DescribeSecretCommandInput, Filter, ListSecretsCommandInput } from '@aws-sdk/client-secrets-manager';
import { AwsError } from '../../../account/errors.ts';
import { pageOf } from '../../../account/paging.ts';
import type { Operations } from '../../../account/service.ts';
import { invalidParameter, type StoredSecret, tagList } from '../model.ts';
import { onSecret } from '../permissions.ts';
import type { SecretStore } from '../state.ts';

/** Looking secrets up; none of these shows a value. */
export const describeOperations = (store: SecretStore): Operations => ({
  DescribeSecret: {
    permissions: (input: DescribeSecretCommandInput) => [onSecret(store, 'DescribeSecret', input.SecretId)],
    run: (input: DescribeSecretCommandInput) => {
      const secret = store.get(input.SecretId);
      return { ...summary(secret), ...(secret.versions.size === 0 ? {} : { VersionIdsToStages: stagesOf(secret) }) };
    },
  },
  ListSecrets: {
    permissions: () => [{ action: 'secretsmanager:ListSecrets', resource: '*' }],
    run: (input: ListSecretsCommandInput) => listSecrets(store, input),
  },
});

const badToken = () => new AwsError('InvalidNextTokenException', 'You must provide a valid NextToken.');

/**
 * "ListSecrets is eventually consistent, however it might not reflect changes from the last five minutes" (API
 * Reference). Here it never does: code that needs the present state must use DescribeSecret.
 */
function listSecrets(store: SecretStore, input: ListSecretsCommandInput) {
  const found = store
    .listed()
    .filter((secret) => input.IncludePlannedDeletion === true || secret.deletedAt === undefined)
    .filter((secret) => (input.Filters ?? []).every((filter) => passes(secret, filter)));
  if (input.SortOrder !== 'asc') found.reverse();
  const page = pageOf(found, input.NextToken, input.MaxResults ?? 100, badToken);
  const SecretList = page.items.map((secret) => ({ ...summary(secret), SecretVersionsToStages: stagesOf(secret) }));
  return { SecretList, ...(page.nextToken === undefined ? {} : { NextToken: page.nextToken }) };
}

/** Filters match the beginning of a value; `!` in front negates. (User Guide, "Find secrets in Secrets Manager".) */
function passes(secret: StoredSecret, filter: Filter): boolean {
  const fields = fieldsOf(secret, filter.Key ?? '');
  const matches = (wanted: string) => fields.some((field) => startsWith(field, wanted, filter.Key));
  const wanted = filter.Values ?? [];
  const refused = wanted.filter((value) => value.startsWith('!'));
  const accepted = wanted.filter((value) => !value.startsWith('!'));
  if (refused.some((value) => matches(value.slice(1)))) return false;
  return accepted.length === 0 || accepted.some(matches);
}

/** Names and tags are compared with case, descriptions without. */
const startsWith = (field: string, wanted: string, key: string | undefined) =>
  key === 'description' || key === 'all'
    ? field
        .toLowerCase()
        .split(/[\s/_+=.@-]+/)
        .some((word) => word.startsWith(wanted.toLowerCase())) || field.toLowerCase().startsWith(wanted.toLowerCase())
    : field.startsWith(wanted);

function fieldsOf(secret: StoredSecret, key: string): string[] {
  if (key === 'name') return [secret.name];
  if (key === 'description') return [secret.description ?? ''];
  if (key === 'tag-key') return Object.keys(secret.tags);
  if (key === 'tag-value') return Object.values(secret.tags);
  if (key === 'all')
    return [secret.name, secret.description ?? '', ...Object.keys(secret.tags), ...Object.values(secret.tags)];
  throw invalidParameter(`the embedded cloud does not model the filter ${key} of ListSecrets`);
}

function summary(secret: StoredSecret) {
  const optional = {
    Description: secret.description,
    KmsKeyId: secret.kmsKeyId,
    DeletedDate: secret.deletedAt === undefined ? undefined : new Date(secret.deletedAt),
    LastAccessedDate: secret.accessedAt === undefined ? undefined : new Date(secret.accessedAt),
  };
  return {
    ARN: secret.arn,
    Name: secret.name,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    LastChangedDate: new Date(secret.changedAt),
    CreatedDate: new Date(secret.createdAt),
    ...(Object.keys(secret.tags).length === 0 ? {} : { Tags: tagList(secret.tags) }),
  };
}

const stagesOf = (secret: StoredSecret) =>
  Object.fromEntries(
    [...secret.versions.values()].filter(({ stages }) => stages.size > 0).map(({ id, stages }) => [id, [...stages]]),
  );
