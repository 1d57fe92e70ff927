import { arn } from '../../account/arn.ts';
import type { Call, Permission } from '../../account/service.ts';
import type { StoredSecret } from './model.ts';
import type { SecretStore } from './state.ts';

type Context = Record<string, string | readonly string[]>;

/**
 * The question to IAM for an action on an existing secret, with the condition keys of the Service Authorization
 * Reference, "Actions, resources, and condition keys for AWS Secrets Manager".
 */
export function onSecret(store: SecretStore, action: string, id: string | undefined, extra: Context = {}): Permission {
  const secret = store.find(id);
  const resource = secret?.arn ?? (id?.startsWith('arn:') ? id : arn(store.scope, 'secretsmanager', `secret:${id}`));
  const context = { ...(secret === undefined ? {} : secretContext(secret)), 'secretsmanager:SecretId': resource };
  return { action: `secretsmanager:${action}`, resource, context: { ...context, ...extra } };
}

const secretContext = (secret: StoredSecret): Context => ({
  ...tagContext('aws:ResourceTag/', secret.tags),
  ...tagContext('secretsmanager:ResourceTag/', secret.tags),
});

/** `aws:RequestTag/…` and `aws:TagKeys` of a request that carries tags. */
export const requestTagContext = (tags: Readonly<Record<string, string>>): Context =>
  Object.keys(tags).length === 0 ? {} : { ...tagContext('aws:RequestTag/', tags), 'aws:TagKeys': Object.keys(tags) };

const tagContext = (prefix: string, tags: Readonly<Record<string, string>>): Context =>
  Object.fromEntries(Object.entries(tags).map(([key, value]) => [prefix + key, value]));

/**
 * A customer's key must be usable by each caller that reads or writes the secret. (User Guide, "Secret encryption and
 * decryption".)
 */
export function onKey(store: SecretStore, call: Call, keyId: string | undefined, actions: readonly string[]) {
  if (keyId === undefined || keyId.includes('alias/aws/')) return [];
  const resource = store.keyArn(keyId) ?? (keyId.startsWith('arn:') ? keyId : arn(store.scope, 'kms', `key/${keyId}`));
  const context = {
    'kms:ViaService': `secretsmanager.${store.scope.region}.amazonaws.com`,
    'kms:CallerAccount': call.principal.accountId,
  };
  return actions.map((action): Permission => ({ action: `kms:${action}`, resource, context }));
}
