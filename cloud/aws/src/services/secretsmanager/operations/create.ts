import type { CreateSecretCommandInput } from '@aws-sdk/client-secrets-manager';
import type { Call, Operation } from '../../../account/service.ts';
import { currentStage, exists, invalidParameter, invalidRequest, sameContent, tagRecord } from '../model.ts';
import { onKey, requestTagContext } from '../permissions.ts';
import type { SecretStore } from '../state.ts';
import { contentOf } from './content.ts';

/** CreateSecret: idempotent by ClientRequestToken, refused while the name is taken or not yet free. */
export function createSecret(store: SecretStore): Operation<CreateSecretCommandInput> {
  const planned = new WeakMap<Call, string>();
  return {
    permissions(input, call) {
      const name = input.Name ?? '';
      const resource = store.find(name)?.arn ?? store.newArn(name);
      planned.set(call, resource);
      const tags = tagRecord(input.Tags);
      const context = { 'secretsmanager:Name': name, ...requestTagContext(tags) };
      return [
        { action: 'secretsmanager:CreateSecret', resource, context },
        // "If you include tags in the secret, you also need secretsmanager:TagResource." (API Reference, CreateSecret)
        ...(input.Tags?.length ? [{ action: 'secretsmanager:TagResource', resource, context }] : []),
        ...onKey(store, call, input.KmsKeyId, ['GenerateDataKey', 'Decrypt']),
      ];
    },
    run(input, call) {
      const secret = create(store, input, planned.get(call) ?? store.newArn(input.Name ?? ''));
      const version = [...secret.versions.keys()][0];
      return { ARN: secret.arn, Name: secret.name, ...(version === undefined ? {} : { VersionId: version }) };
    },
  };
}

/** Makes the secret, or returns the one that the same request has made before. */
export function create(store: SecretStore, input: CreateSecretCommandInput, newArn: string) {
  const name = validName(input.Name);
  const content = contentOf(input);
  const existing = store.secrets.get(name);
  if (existing !== undefined) {
    const before = existing.versions.get(input.ClientRequestToken ?? '');
    if (existing.deletedAt !== undefined)
      throw invalidRequest(
        "You can't create this secret because a secret with this name is already scheduled for deletion.",
      );
    if (before !== undefined && content !== undefined && sameContent(before.value, content)) return existing;
    throw exists(`The operation failed because the secret ${name} already exists.`);
  }
  const secret = {
    name,
    arn: newArn,
    createdAt: store.now,
    changedAt: store.now,
    versions: new Map(),
    description: input.Description,
    kmsKeyId: input.KmsKeyId,
    tags: tagRecord(input.Tags),
  };
  store.secrets.set(name, secret);
  if (content !== undefined)
    store.addVersion(secret, input.ClientRequestToken ?? store.random.uuid(), content, [currentStage]);
  return secret;
}

function validName(name: string | undefined): string {
  if (name === undefined || !/^[A-Za-z0-9/_+=.@!-]{1,512}$/.test(name))
    throw invalidParameter(
      'Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!',
    );
  return name;
}
