import type {
  DeleteSecretCommandInput,
  RestoreSecretCommandInput,
  TagResourceCommandInput,
  UntagResourceCommandInput,
} from '@aws-sdk/client-secrets-manager';
import type { Operations } from '../../../account/service.ts';
import { invalidParameter, markedForDeletion, notFound, tagRecord } from '../model.ts';
import { onSecret, requestTagContext } from '../permissions.ts';
import type { SecretStore } from '../state.ts';

/** Deleting and restoring, tags, and the resource policy. */
export const lifecycleOperations = (store: SecretStore): Operations => ({
  DeleteSecret: {
    permissions: (input: DeleteSecretCommandInput) => [
      onSecret(store, 'DeleteSecret', input.SecretId, {
        'secretsmanager:ForceDeleteWithoutRecovery': String(input.ForceDeleteWithoutRecovery ?? false),
        ...(input.RecoveryWindowInDays == null
          ? {}
          : { 'secretsmanager:RecoveryWindowInDays': String(input.RecoveryWindowInDays) }),
      }),
    ],
    run: (input: DeleteSecretCommandInput) => deleteSecret(store, input),
  },
  RestoreSecret: {
    permissions: (input: RestoreSecretCommandInput) => [onSecret(store, 'RestoreSecret', input.SecretId)],
    run: (input: RestoreSecretCommandInput) => {
      const secret = store.get(input.SecretId);
      delete secret.deletedAt;
      delete secret.purgeAt;
      return { ARN: secret.arn, Name: secret.name };
    },
  },
  TagResource: {
    permissions: (input: TagResourceCommandInput) => [
      onSecret(store, 'TagResource', input.SecretId, requestTagContext(tagRecord(input.Tags))),
    ],
    run: (input: TagResourceCommandInput) => {
      Object.assign(store.usable(input.SecretId).tags, tagRecord(input.Tags));
      return {};
    },
  },
  UntagResource: {
    permissions: (input: UntagResourceCommandInput) => [
      onSecret(store, 'UntagResource', input.SecretId, { 'aws:TagKeys': input.TagKeys ?? [] }),
    ],
    run: (input: UntagResourceCommandInput) => {
      const secret = store.usable(input.SecretId);
      for (const key of input.TagKeys ?? []) delete secret.tags[key];
      return {};
    },
  },
});

/** Days of the recovery window when none is given. (API Reference, DeleteSecret.) */
const defaultRecoveryDays = 30;

function deleteSecret(store: SecretStore, input: DeleteSecretCommandInput) {
  const { SecretId, ForceDeleteWithoutRecovery: force, RecoveryWindowInDays: days } = input;
  if (force === true && days != null)
    throw invalidParameter("You can't use ForceDeleteWithoutRecovery in conjunction with RecoveryWindowInDays.");
  if (days != null && (days < 7 || days > 30))
    throw invalidParameter(`RecoveryWindowInDays is ${days}; it must be between 7 and 30 days (inclusive).`);
  const secret = store.find(SecretId);
  if (secret === undefined) return forcedWithoutSecret(store, SecretId, force);
  if (secret.deletedAt !== undefined && force !== true) throw markedForDeletion();
  store.markDeleted(secret, force === true ? 'none' : { days: days ?? defaultRecoveryDays });
  return { ARN: secret.arn, Name: secret.name, DeletionDate: new Date(force === true ? store.now : secret.purgeAt!) };
}

/** "If you forcibly delete an already deleted or nonexistent secret, the operation does not return ResourceNotFoundException." */
function forcedWithoutSecret(store: SecretStore, id: string | undefined, force: boolean | undefined) {
  if (force !== true) throw notFound();
  return { ARN: id, Name: id?.split(':secret:').at(-1), DeletionDate: new Date(store.now) };
}
