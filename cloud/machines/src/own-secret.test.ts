import {
  CreateSecretCommand,
  GetSecretValueCommand,
  SecretsManagerClient,
  TagResourceCommand,
} from '@aws-sdk/client-secrets-manager';
import { clients } from '@drover/cloud-world';
import { describe, expect, it } from 'vitest';
import type { Machine } from './machine.ts';
import { clientConfigOn, MachineFixture } from './machine-fixture.test-support.ts';

const fixture = new MachineFixture();

/** The result for a process on the machine, or the error's name. */
async function onMachine(machine: Machine, act: (secrets: SecretsManagerClient) => Promise<string>): Promise<string> {
  const result = new Promise<string>((resolve) => {
    machine.spawn('program', async (context) => {
      const config = await clientConfigOn(context, fixture.world, 'runner');
      await act(new SecretsManagerClient(config)).then(resolve, (error: Error) => resolve(error.name));
      return 0;
    });
  });
  return fixture.until(result);
}

describe('an instance', () => {
  it('[rule 16] reads the secret that is tagged with its own ARN and no other, and cannot tag itself in', async () => {
    await fixture.createProfile('runner', [
      {
        Effect: 'Allow',
        Action: 'secretsmanager:GetSecretValue',
        Resource: 'arn:aws:secretsmanager:*:*:secret:token/*',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a policy variable
        Condition: { StringEquals: { 'aws:ResourceTag/owner': '${ec2:SourceInstanceARN}' } },
      },
    ]);
    const [one, two] = [
      await fixture.launch({ IamInstanceProfile: { Name: 'runner' } }),
      await fixture.launch({ IamInstanceProfile: { Name: 'runner' } }),
    ];
    const root = clients(fixture.world).secretsmanager;
    for (const { instance } of [one, two])
      await root.send(
        new CreateSecretCommand({
          Name: `token/${instance.id}`,
          SecretString: `for ${instance.id}`,
          Tags: [{ Key: 'owner', Value: instance.arn }],
        }),
      );
    const read = (of: Machine) => async (secrets: SecretsManagerClient) =>
      (await secrets.send(new GetSecretValueCommand({ SecretId: `token/${of.instance.id}` }))).SecretString!;
    const claim = (of: Machine, by: Machine) => async (secrets: SecretsManagerClient) => {
      const Tags = [{ Key: 'owner', Value: by.instance.arn }];
      await secrets.send(new TagResourceCommand({ SecretId: `token/${of.instance.id}`, Tags }));
      return 'claimed';
    };

    expect(await onMachine(one, read(one))).toBe(`for ${one.instance.id}`);
    expect(await onMachine(one, read(two))).toBe('AccessDeniedException');
    expect(await onMachine(one, claim(two, one))).toBe('AccessDeniedException');
    expect(await onMachine(two, read(two))).toBe(`for ${two.instance.id}`);
  });
});
