import type { ResourceProperties, ResourceProvider, ResourceProviders } from '../../account/service.ts';
import { currentStage, invalidParameter, type StoredSecret, tagRecord } from './model.ts';
import { create } from './operations/create.ts';
import { type PasswordRules, randomPassword } from './password.ts';
import type { SecretStore } from './state.ts';

/** The resource types of Secrets Manager that templates may use. */
export const secretResources = (store: SecretStore): ResourceProviders => ({
  'AWS::SecretsManager::Secret': secretResource(store),
});

const secretResource = (store: SecretStore): ResourceProvider => ({
  create({ properties, generateName }) {
    const name: string = properties.Name ?? generateName();
    const input = {
      Name: name,
      SecretString: contentFor(store, properties),
      Description: properties.Description,
      KmsKeyId: properties.KmsKeyId,
      Tags: properties.Tags,
    };
    return state(create(store, input, store.newArn(name)));
  },
  update({ physicalId, properties, previousProperties }) {
    const secret = store.get(physicalId);
    secret.description = properties.Description;
    secret.kmsKeyId = properties.KmsKeyId;
    secret.tags = tagRecord(properties.Tags);
    const content = changed(properties, previousProperties) ? contentFor(store, properties) : undefined;
    if (content !== undefined) store.addVersion(secret, store.random.uuid(), { SecretString: content }, [currentStage]);
    return state(secret);
  },
  /** CloudFormation deletes secrets without a recovery window. (CloudFormation User Guide, AWS::SecretsManager::Secret.) */
  delete({ physicalId }) {
    const secret = store.find(physicalId);
    if (secret !== undefined) store.markDeleted(secret, 'none');
  },
});

const state = (secret: StoredSecret) => ({ physicalId: secret.arn, attributes: { Id: secret.arn } });

const changed = (now: ResourceProperties, before: ResourceProperties) =>
  JSON.stringify([now.SecretString, now.GenerateSecretString]) !==
  JSON.stringify([before.SecretString, before.GenerateSecretString]);

/**
 * SecretString, or a generated one. "If you omit both GenerateSecretString and SecretString, you create an empty secret."
 * (CloudFormation Template Reference, AWS::SecretsManager::Secret.)
 */
function contentFor(store: SecretStore, properties: ResourceProperties): string | undefined {
  const { SecretString, GenerateSecretString: generate } = properties;
  if (SecretString !== undefined && generate !== undefined)
    throw invalidParameter('SecretString and GenerateSecretString exclude each other.');
  if (SecretString !== undefined) return SecretString;
  if (generate === undefined) return undefined;
  const password = randomPassword(store.random, generate as PasswordRules);
  if (generate.GenerateStringKey === undefined) return password;
  const template = JSON.parse(generate.SecretStringTemplate ?? '{}') as Record<string, unknown>;
  return JSON.stringify({ ...template, [generate.GenerateStringKey]: password });
}
