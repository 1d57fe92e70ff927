import {
  CreateSecretCommand,
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  RestoreSecretCommand,
} from '@aws-sdk/client-secrets-manager';
import {
  DescribeInstanceInformationCommand,
  GetCommandInvocationCommand,
  SendCommandCommand,
} from '@aws-sdk/client-ssm';
import { expect } from 'vitest';
import { contract } from './contract.ts';
import { createGroup } from './fixtures/group.ts';
import { createLaunchTemplate } from './fixtures/launch-template.ts';
import { assume, createInstanceProfile, createRole } from './fixtures/role.ts';
import { createSecret } from './fixtures/secret.ts';
import { type ContractClients, minutes, seconds, type Target } from './target.ts';

// ---- Secrets -------------------------------------------------------------------------------------------------------------

const read = async ({ secretsmanager }: ContractClients, SecretId: string, VersionStage?: string) =>
  (await secretsmanager.send(new GetSecretValueCommand({ SecretId, VersionStage }))).SecretString;

const create = ({ secretsmanager }: ContractClients, Name: string) =>
  secretsmanager.send(new CreateSecretCommand({ Name, SecretString: 'other' }));

// Naive: a deleted secret is gone, its name free at once.
contract(
  '[rule 14] Secrets Manager keeps a deleted secret, and its name, for the recovery window',
  { minutes: 1 },
  async (target) => {
    const { clients } = target;
    const { name, arn } = await createSecret(target, { value: 'precious' });

    await clients.secretsmanager.send(new DeleteSecretCommand({ SecretId: arn, RecoveryWindowInDays: 7 }));

    await target.pass(seconds(30));
    await expect(read(clients, arn)).rejects.toMatchObject({ name: 'InvalidRequestException' });
    await expect(create(clients, name)).rejects.toMatchObject({ name: 'InvalidRequestException' });
    const marked = await clients.secretsmanager.send(new DescribeSecretCommand({ SecretId: arn }));
    expect(marked.DeletedDate).toBeInstanceOf(Date);
    await clients.secretsmanager.send(new RestoreSecretCommand({ SecretId: arn }));
    expect(await read(clients, arn)).toBe('precious');
  },
);

// Naive: a forced deletion waits as well; or the new secret is found by the old one's ARN.
contract(
  '[rule 14] Secrets Manager frees the name of a secret that is deleted without recovery',
  { minutes: 2 },
  async (target) => {
    const { clients } = target;
    const old = await createSecret(target, { value: 'old' });

    await clients.secretsmanager.send(new DeleteSecretCommand({ SecretId: old.arn, ForceDeleteWithoutRecovery: true }));

    const again = () => createSecret(target, { name: old.name, value: 'new' });
    const fresh = await target.until('a free name', again, minutes(3));
    expect(fresh.arn).not.toBe(old.arn);
    expect(await read(clients, fresh.arn)).toBe('new');
    await expect(read(clients, old.arn)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  },
);

// Naive: at once; a program that deletes and creates again in one go works here and fails in AWS.
contract(
  '[rule 14] Secrets Manager frees the name of a deleted secret only after a moment',
  { embeddedOnly: 'AWS is sometimes quick' },
  async (target) => {
    const { name, arn } = await createSecret(target, { value: 'old' });

    await target.clients.secretsmanager.send(
      new DeleteSecretCommand({ SecretId: arn, ForceDeleteWithoutRecovery: true }),
    );

    await target.pass(500);
    await expect(create(target.clients, name)).rejects.toMatchObject({ name: 'InvalidRequestException' });
  },
);

// Naive: keeps one value per secret; or moves AWSCURRENT with every new value.
contract(
  '[rule 14] Secrets Manager makes a new value the current one unless other stages are named',
  { minutes: 1 },
  async (target) => {
    const { clients } = target;
    const { arn } = await createSecret(target, { value: 'first' });
    const put = (SecretString: string, VersionStages?: string[]) =>
      clients.secretsmanager.send(new PutSecretValueCommand({ SecretId: arn, SecretString, VersionStages }));

    await put('second');
    await put('candidate', ['CANDIDATE']);

    expect(await read(clients, arn)).toBe('second');
    expect(await read(clients, arn, 'AWSPREVIOUS')).toBe('first');
    expect(await read(clients, arn, 'CANDIDATE')).toBe('candidate');
  },
);

// ---- Remote commands -----------------------------------------------------------------------------------------------------

const send = (target: Target, instanceId: string, commands: string[]) =>
  target.clients.ssm.send(
    new SendCommandCommand({
      DocumentName: 'AWS-RunShellScript',
      InstanceIds: [instanceId],
      TimeoutSeconds: 30,
      Parameters: { commands, executionTimeout: ['30'] },
    }),
  );

// Naive: accepts the command and leaves it pending.
contract(
  '[rule 15] Systems Manager refuses a command to an instance whose agent has never registered',
  { minutes: 4, instances: 1 },
  async (target) => {
    // Without metadata the agent has no credentials, also where an account manages all its instances by default.
    const MetadataOptions = { HttpEndpoint: 'disabled' } as const;
    const launchTemplateId = await createLaunchTemplate(target, { MetadataOptions });
    const instance = await (await createGroup(target, { launchTemplateId })).instanceIn('InService');
    await target.pass(seconds(90));

    await expect(send(target, instance, ['true'])).rejects.toMatchObject({ name: 'InvalidInstanceId' });
  },
);

// Naive: fails the command at once, or keeps it pending for ever.
contract(
  '[rule 15] a command stays pending when the agent has died, until it times out',
  { minutes: 9, instances: 1 },
  async (target) => {
    const Name = await createInstanceProfile(target, { attached: ['AmazonSSMManagedInstanceCore'] });
    const launchTemplateId = await createLaunchTemplate(target, { IamInstanceProfile: { Name } });
    const instance = await (await createGroup(target, { launchTemplateId })).instanceIn('InService');
    await target.until('a registered agent', () => isManaged(target, instance), minutes(8));
    await killAgent(target, instance);

    const { Command } = await send(target, instance, ['true']);
    const invocation = async () => {
      const input = { CommandId: Command?.CommandId, InstanceId: instance };
      return target.clients.ssm.send(new GetCommandInvocationCommand(input));
    };

    await target.pass(seconds(20));
    expect(await target.until('the invocation', invocation)).toMatchObject({ Status: 'Pending' });
    const over = async () => (await invocation()).Status !== 'Pending';
    await target.until('its end', over, minutes(10));
    expect(await invocation()).toMatchObject({ Status: 'TimedOut', StatusDetails: 'DeliveryTimedOut' });
  },
);

async function isManaged(target: Target, instanceId: string): Promise<boolean> {
  const Filters = [{ Key: 'InstanceIds', Values: [instanceId] }];
  const { InstanceInformationList } = await target.clients.ssm.send(
    new DescribeInstanceInformationCommand({ Filters }),
  );
  return InstanceInformationList?.[0]?.PingStatus === 'Online';
}

/** By a command to the agent itself, or by the machine's own switch. */
async function killAgent(target: Target, instanceId: string): Promise<void> {
  if (target.embedded !== undefined) return target.embedded.machines.get(instanceId)!.killAgent();
  await send(target, instanceId, ['systemd-run --on-active=5 systemctl stop amazon-ssm-agent']);
  await target.pass(seconds(45));
}

// ---- Permissions ---------------------------------------------------------------------------------------------------------

const everySecret = { Effect: 'Allow', Action: 'secretsmanager:*', Resource: '*' };

/** Waits until a new policy has taken effect. */
const untilAllowed = <T>(target: Target, act: () => Promise<T>): Promise<T> =>
  target.until('a permission', act, minutes(2));

// Naive: allows what no policy speaks of.
contract('[rule 16] IAM treats a missing allow as a deny, and says so', { minutes: 1 }, async (target) => {
  const { arn } = await createSecret(target, { value: 'precious' });
  const role = await createRole(target, { trusts: 'account' });
  const session = await assume(target, role, 'reader');

  await expect(read(session, arn)).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: expect.stringMatching(
      new RegExp(
        `^User: arn:aws:sts::\\d{12}:assumed-role/${role.name}/reader is not authorized to perform: ` +
          `secretsmanager:GetSecretValue on resource: ${arn} ` +
          'because no identity-based policy allows the secretsmanager:GetSecretValue action',
      ),
    ),
  });
});

// Naive: the first, the last or the most exact statement wins.
contract('[rule 16] IAM lets an explicit deny win over every allow', { minutes: 2 }, async (target) => {
  const { arn } = await createSecret(target, { value: 'precious' });
  const denying = { Effect: 'Deny', Action: 'secretsmanager:GetSecretValue', Resource: '*' };
  const exact = { Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: arn };
  const role = await createRole(target, { trusts: 'account', allows: [everySecret, denying, exact] });
  const session = await assume(target, role);

  await untilAllowed(target, () => session.secretsmanager.send(new DescribeSecretCommand({ SecretId: arn })));
  await expect(read(session, arn)).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: expect.stringContaining('with an explicit deny in an identity-based policy'),
  });
});

// Naive: does not know the tags of the resource when it decides.
contract('[rule 16] IAM decides by the tags of the resource', { minutes: 2 }, async (target) => {
  const mine = await createSecret(target, { value: 'mine', tags: { owner: 'me' } });
  const yours = await createSecret(target, { value: 'yours', tags: { owner: 'you' } });
  const Condition = { StringEquals: { 'aws:ResourceTag/owner': 'me' } };
  const role = await createRole(target, { trusts: 'account', allows: [{ ...everySecret, Condition }] });
  const session = await assume(target, role);

  expect(await untilAllowed(target, () => read(session, mine.arn))).toBe('mine');
  await expect(read(session, yours.arn)).rejects.toMatchObject({ name: 'AccessDeniedException' });
});

// Naive: knows the role but not the session, which for an instance is the instance's id.
contract('[rule 16] aws:userid carries the name of the session', { minutes: 2 }, async (target) => {
  const { arn } = await createSecret(target, { value: 'for one' });
  const Condition = { StringLike: { 'aws:userid': '*:i-0123456789abcdef0' } };
  const role = await createRole(target, { trusts: 'account', allows: [{ ...everySecret, Condition }] });
  const chosen = await assume(target, role, 'i-0123456789abcdef0');
  const other = await assume(target, role, 'i-0fedcba9876543210');

  expect(await untilAllowed(target, () => read(chosen, arn))).toBe('for one');
  await expect(read(other, arn)).rejects.toMatchObject({ name: 'AccessDeniedException' });
});
