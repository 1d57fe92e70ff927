import type {
  GetSecretValueCommandInput,
  PutSecretValueCommandInput,
  UpdateSecretVersionStageCommandInput,
} from '@aws-sdk/client-secrets-manager';
import type { Operations } from '../../../account/service.ts';
import {
  currentStage,
  exists,
  invalidParameter,
  invalidRequest,
  noSuchVersion,
  type SecretContent,
  type SecretVersion,
  type StoredSecret,
  sameContent,
} from '../model.ts';
import { onKey, onSecret } from '../permissions.ts';
import { attachStages, detachStage, holderOf } from '../stages.ts';
import type { SecretStore } from '../state.ts';
import { contentOf } from './content.ts';

/** Reading and writing values, and moving their staging labels. */
export const valueOperations = (store: SecretStore): Operations => ({
  GetSecretValue: {
    permissions: (input: GetSecretValueCommandInput, call) => [
      onSecret(store, 'GetSecretValue', input.SecretId, {
        'secretsmanager:VersionStage': input.VersionStage ?? currentStage,
        ...(input.VersionId === undefined ? {} : { 'secretsmanager:VersionId': input.VersionId }),
      }),
      ...onKey(store, call, store.find(input.SecretId)?.kmsKeyId, ['Decrypt']),
    ],
    run: (input: GetSecretValueCommandInput) => readValue(store, input),
  },
  PutSecretValue: {
    permissions: (input: PutSecretValueCommandInput, call) => [
      onSecret(store, 'PutSecretValue', input.SecretId),
      ...onKey(store, call, store.find(input.SecretId)?.kmsKeyId, ['GenerateDataKey', 'Decrypt']),
    ],
    run: (input: PutSecretValueCommandInput) => putValue(store, input),
  },
  UpdateSecretVersionStage: {
    permissions: (input: UpdateSecretVersionStageCommandInput) => [
      onSecret(store, 'UpdateSecretVersionStage', input.SecretId, {
        'secretsmanager:VersionStage': input.VersionStage ?? '',
      }),
    ],
    run: (input: UpdateSecretVersionStageCommandInput) => updateVersionStage(store, input),
  },
});

function readValue(store: SecretStore, input: GetSecretValueCommandInput) {
  const secret = store.usable(input.SecretId);
  const version = selectVersion(secret, input);
  secret.accessedAt = store.now - (store.now % 86_400_000);
  return {
    ARN: secret.arn,
    Name: secret.name,
    VersionId: version.id,
    VersionStages: [...version.stages],
    CreatedDate: new Date(version.createdAt),
    ...version.value,
  };
}

/** The version by id and label; both must then name the same one. (API Reference, GetSecretValue.) */
export function selectVersion(
  secret: StoredSecret,
  which: { VersionId?: string | undefined; VersionStage?: string | undefined },
): SecretVersion {
  if (which.VersionId !== undefined) {
    const version = secret.versions.get(which.VersionId);
    if (version === undefined) throw noSuchVersion(`VersionId: ${which.VersionId}`);
    if (which.VersionStage !== undefined && !version.stages.has(which.VersionStage))
      throw invalidParameter('You provided a VersionStage that is not associated to the provided VersionId.');
    return version;
  }
  const stage = which.VersionStage ?? currentStage;
  const version = secret.versions.get(holderOf(secret, stage) ?? '');
  if (version === undefined) throw noSuchVersion(`staging label: ${stage}`);
  return version;
}

/**
 * A new version; AWSCURRENT moves to it unless other labels are named. "If this operation creates the first version for
 * the secret, then Secrets Manager automatically attaches the staging label AWSCURRENT to it." (API Reference, PutSecretValue.)
 */
function putValue(store: SecretStore, input: PutSecretValueCommandInput) {
  const content = contentOf(input);
  if (content === undefined) throw invalidRequest('You must provide either SecretString or SecretBinary.');
  const secret = store.usable(input.SecretId);
  const named = input.VersionStages ?? [currentStage];
  const stages = secret.versions.size === 0 ? [...new Set([...named, currentStage])] : named;
  const id = writeVersion(store, secret, input.ClientRequestToken, content, stages);
  return { ARN: secret.arn, Name: secret.name, VersionId: id, VersionStages: [...secret.versions.get(id)!.stages] };
}

function writeVersion(
  store: SecretStore,
  secret: StoredSecret,
  token: string | undefined,
  content: SecretContent,
  stages: readonly string[],
): string {
  const id = token ?? store.random.uuid();
  const before = secret.versions.get(id);
  if (before === undefined) store.addVersion(secret, id, content, stages);
  else if (!sameContent(before.value, content)) throw exists("You can't modify an existing version of a secret.");
  return id;
}

function updateVersionStage(store: SecretStore, input: UpdateSecretVersionStageCommandInput) {
  const secret = store.usable(input.SecretId);
  const stage = input.VersionStage ?? '';
  const { MoveToVersionId: to, RemoveFromVersionId: from } = input;
  for (const id of [to, from])
    if (id !== undefined && !secret.versions.has(id)) throw noSuchVersion(`VersionId: ${id}`);
  const holder = holderOf(secret, stage);
  if (to !== undefined && holder !== undefined && holder !== to && holder !== from)
    throw invalidParameter(
      `The parameter RemoveFromVersionId can't be empty. Staging label ${stage} is currently attached to version ${holder}, so you must explicitly reference that version in RemoveFromVersionId.`,
    );
  if (to !== undefined) attachStages(secret, to, [stage]);
  else if (from !== undefined) detachStage(secret, from, stage);
  secret.changedAt = store.now;
  return { ARN: secret.arn, Name: secret.name };
}
