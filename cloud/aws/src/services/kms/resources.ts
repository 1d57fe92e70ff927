import { AwsError, notImplemented } from '../../account/errors.ts';
import type { ResourceProperties, ResourceProviders } from '../../account/service.ts';
import type { Key } from './model.ts';
import type { Keys } from './state.ts';

/**
 * Whether the policy leaves a principal that may replace it. (API Reference, PutKeyPolicy,
 * BypassPolicyLockoutSafetyCheck.)
 */
const canBeChanged = ({ Statement }: ResourceProperties): boolean =>
  [Statement]
    .flat()
    .some(
      ({ Effect, Principal, Action }: ResourceProperties) =>
        Effect === 'Allow' &&
        (Principal === '*' || Principal?.AWS !== undefined) &&
        [Action].flat().some((action) => ['*', 'kms:*', 'kms:Put*', 'kms:PutKeyPolicy'].includes(String(action))),
    );

/** The resource types of KMS that templates may use. */
export const kmsResources = (keys: Keys): ResourceProviders => {
  const apply = (key: Key, properties: ResourceProperties) => {
    if (properties.KeyPolicy !== undefined && !canBeChanged(properties.KeyPolicy))
      throw new AwsError(
        'MalformedPolicyDocumentException',
        'The new key policy will not allow you to update the key policy in the future.',
      );
    key.description = properties.Description ?? '';
    if (properties.KeyPolicy !== undefined) key.policy = JSON.stringify(properties.KeyPolicy);
    key.rotation = properties.EnableKeyRotation === true;
    key.state = properties.Enabled === false ? 'Disabled' : 'Enabled';
    const tags = (properties.Tags ?? []) as { Key: string; Value: string }[];
    key.tags = Object.fromEntries(tags.map(({ Key: name, Value }) => [name, Value]));
    return { physicalId: key.id, attributes: { Arn: key.arn, KeyId: key.id } };
  };
  return {
    'AWS::KMS::Key': {
      create: ({ properties }) => {
        if ((properties.KeySpec ?? 'SYMMETRIC_DEFAULT') !== 'SYMMETRIC_DEFAULT')
          throw notImplemented('kms', `keys of the kind ${properties.KeySpec}`);
        return apply(keys.create('', undefined, {}), properties);
      },
      update: ({ physicalId, properties }) => apply(keys.get(physicalId), properties),
      delete: ({ physicalId, properties }) => {
        const key = keys.find(physicalId);
        if (key !== undefined && key.state !== 'PendingDeletion')
          keys.scheduleDeletion(key, Number(properties.PendingWindowInDays ?? 30));
      },
    },
  };
};
