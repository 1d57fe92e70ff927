import { UpdateStackCommand } from '@aws-sdk/client-cloudformation';
import { GetSecretValueCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { expect, it } from 'vitest';
import { stackWorld } from '../../cloudformation/testing/stack-world.ts';

const template = (Properties: Record<string, string>) => ({
  Resources: { Secret: { Type: 'AWS::SecretsManager::Secret', Properties } },
});

it('makes an empty secret of a template that says neither a value nor how to generate one, and leaves it alone', async () => {
  const { sdk, create, rest } = stackWorld();
  const read = () => sdk.secretsmanager.send(new GetSecretValueCommand({ SecretId: 'authority' }));
  await create('stack', template({ Name: 'authority' }));

  await expect(read()).rejects.toThrow("can't find the specified secret value for staging label: AWSCURRENT");

  await sdk.secretsmanager.send(new PutSecretValueCommand({ SecretId: 'authority', SecretString: 'written later' }));
  const TemplateBody = JSON.stringify(template({ Name: 'authority', Description: 'another' }));
  await sdk.cloudformation.send(new UpdateStackCommand({ StackName: 'stack', TemplateBody }));
  await rest();

  expect((await read()).SecretString).toBe('written later');
});
