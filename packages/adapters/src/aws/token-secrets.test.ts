import { World } from '@drover/cloud-world';
import { Secret, VirtualClock } from '@drover/core';
import { tags } from '@drover/core/names/runner-fleet';
import { describe, expect, it } from 'vitest';
import type { AwsCalls } from './calls/calls.ts';
import { ownToken } from './instance/own-instance.ts';
import { awsError, scriptedCalls } from './scripted-calls.test-support.ts';
import { readSecret, tokenSecrets, typeSecrets } from './token-secrets.ts';

const own = { groupName: 'runners', instanceId: 'i-1' };
const name = 'actions-runner/runners/i-1';
const missing = awsError('ResourceNotFoundException');

describe('a registration token that was used', () => {
  /** Secrets Manager of the embedded cloud. */
  function stage() {
    const clock = new VirtualClock();
    const world = new World({ clock });
    const call = (operation: string, input: object) =>
      world.aws.call('secretsmanager', operation, input, { credentials: world.rootCredentials });
    return { clock, call, aws: { secretsmanager: call } as unknown as Pick<AwsCalls, 'secretsmanager'> };
  }
  const deletions: [string, (aws: Pick<AwsCalls, 'secretsmanager'>) => Promise<void>][] = [
    ['the agent', (aws) => ownToken(aws, own).delete()],
    ['the functions', (aws) => tokenSecrets(aws, 'runners', 'arn:').delete('i-1')],
  ];

  it.each(deletions)(
    'a used registration token cannot be restored after %s deleted it: it is deleted without a recovery window',
    async (_, remove) => {
      const { aws, call, clock } = stage();
      await tokenSecrets(aws, 'runners', 'arn:').store('i-1', new Secret('token'));

      await remove(aws);
      await clock.advance(3_600_000);

      // With a recovery window the secret could still be described, and restored, for days.
      await expect(call('DescribeSecret', { SecretId: name })).rejects.toMatchObject({
        name: 'ResourceNotFoundException',
      });
    },
  );

  it.each(deletions)(
    'a used registration token is deleted by %s with ForceDeleteWithoutRecovery',
    async (_, remove) => {
      const { aws, made } = scriptedCalls({ DeleteSecret: {} });

      await remove(aws);

      expect(made).toEqual([
        { operation: 'DeleteSecret', input: { SecretId: name, ForceDeleteWithoutRecovery: true } },
      ]);
    },
  );

  it('a used registration token may be gone already; any other failure is an error', async () => {
    const remove = (error: Error) =>
      tokenSecrets(scriptedCalls({ DeleteSecret: error }).aws, 'runners', '').delete('i-1');

    await expect(remove(missing)).resolves.toBeUndefined();
    await expect(remove(awsError('InternalServiceError'))).rejects.toThrow('InternalServiceError');
  });

  it('a deletion that IAM refuses is an error if the token is there: a right by its tag refuses one that is gone, too', async () => {
    const remove = (DescribeSecret: object) =>
      tokenSecrets(
        scriptedCalls({ DeleteSecret: awsError('AccessDeniedException'), DescribeSecret }).aws,
        'runners',
        '',
      ).delete('i-1');

    await expect(remove(missing)).resolves.toBeUndefined();
    await expect(remove({ Name: name })).rejects.toThrow('AccessDenied');
  });
});

describe('tokenSecrets', () => {
  it('lists the tokens of its group from all pages, without those that are being deleted', async () => {
    const prefix = 'actions-runner/runners/';
    const pages = [
      { SecretList: [{ Name: `${prefix}i-1`, CreatedDate: new Date(5) }, { Name: 'other' }], NextToken: 'more' },
      {
        SecretList: [
          { Name: `${prefix}i-2`, CreatedDate: new Date(1), LastChangedDate: new Date(7) },
          { Name: `${prefix}i-3`, DeletedDate: new Date(0) },
        ],
      },
    ];
    const { aws, made } = scriptedCalls({ ListSecrets: (_: unknown, count: number) => pages[count] });

    expect(await tokenSecrets(aws, 'runners', '').list()).toEqual([
      { instanceId: 'i-1', storedAt: 5 },
      { instanceId: 'i-2', storedAt: 7 },
    ]);
    expect(made.map(({ input }) => input.NextToken)).toEqual([undefined, 'more']);
  });

  it('finds the token of one instance by its name at once, while the list does not show it yet', async () => {
    const clock = new VirtualClock();
    const world = new World({ clock });
    const aws = {
      secretsmanager: (operation: string, input: object) =>
        world.aws.call('secretsmanager', operation, input, { credentials: world.rootCredentials }),
    } as unknown as Pick<AwsCalls, 'secretsmanager'>;
    const secrets = tokenSecrets(aws, 'runners', 'arn:');
    await secrets.store('i-1', new Secret('token'));

    expect(await secrets.find('i-1')).toEqual({ instanceId: 'i-1', storedAt: clock.now() });
    expect(await secrets.list()).toEqual([]);
    expect(await secrets.find('i-2')).toBeUndefined();
  });

  it('one of two callers claims the secret of an instance, which has no value until it is filled', async () => {
    const world = new World({ clock: new VirtualClock() });
    const aws = {
      secretsmanager: (operation: string, input: object) =>
        world.aws.call('secretsmanager', operation, input, { credentials: world.rootCredentials }),
    } as unknown as Pick<AwsCalls, 'secretsmanager'>;
    const secrets = tokenSecrets(aws, 'runners', 'arn:');

    expect([await secrets.claim('i-1'), await secrets.claim('i-1')]).toEqual(['claimed', 'taken']);
    expect(await secrets.find('i-1')).toMatchObject({ empty: true });
    expect(await ownToken(aws, own).read()).toBeUndefined();
    await secrets.fill('i-1', new Secret('token'));
    expect((await secrets.find('i-1'))?.empty).toBeUndefined();
    expect((await ownToken(aws, own).read())?.reveal()).toBe('token');
    await secrets.delete('i-1');
    expect(await secrets.claim('i-1')).toBe('taken');
  });

  it('a secret of a further type has its fleet as a tag, by which it is found when the type is gone', async () => {
    const { aws, made } = scriptedCalls({
      CreateSecret: {},
      ListSecrets: {
        SecretList: [
          { Name: 'actions-runner/ci-large/i-1', CreatedDate: new Date(5), Tags: [{ Key: tags.fleet, Value: 'ci' }] },
          // Of another fleet, whose name is ci-web.
          { Name: 'actions-runner/ci-web/i-2', CreatedDate: new Date(5), Tags: [] },
          {
            Name: 'actions-runner/ci-web-large/i-3',
            CreatedDate: new Date(5),
            Tags: [{ Key: tags.fleet, Value: 'ci-web' }],
          },
        ],
      },
    });
    await tokenSecrets(aws, 'ci-large', 'arn:', 'ci').claim('i-1');

    expect(made[0]?.input).toMatchObject({
      Tags: [
        { Key: tags.secretInstance, Value: 'arn:i-1' },
        { Key: tags.fleet, Value: 'ci' },
      ],
    });
    expect(await typeSecrets(aws, 'ci').list()).toEqual([{ groupName: 'ci-large', instanceId: 'i-1', storedAt: 5 }]);
  });

  it('creates a secret that names its instance in a tag, and replaces the value of one that exists', async () => {
    const { aws, made } = scriptedCalls({ CreateSecret: awsError('ResourceExistsException'), PutSecretValue: {} });

    await tokenSecrets(aws, 'runners', 'arn:aws:ec2:instance/').store('i-1', new Secret('t'));

    expect(made).toEqual([
      {
        operation: 'CreateSecret',
        input: {
          Name: name,
          SecretString: 't',
          Tags: [{ Key: tags.secretInstance, Value: 'arn:aws:ec2:instance/i-1' }],
        },
      },
      { operation: 'PutSecretValue', input: { SecretId: name, SecretString: 't' } },
    ]);
  });
});

describe('the mark that keeps an instance whose boot failed', () => {
  it('the mark of the function is what the host finds, and a token that is gone needs none', async () => {
    const world = new World({ clock: new VirtualClock() });
    const secretsmanager = (operation: string, input: object) =>
      world.aws.call('secretsmanager', operation, input, { credentials: world.rootCredentials });
    const aws = { secretsmanager } as unknown as Pick<AwsCalls, 'secretsmanager'>;
    const secrets = tokenSecrets(aws, 'runners', 'arn:');
    await secrets.store('i-1', new Secret('token'));
    const before = await ownToken(aws, own).keepFailed();

    await secrets.keepFailed('i-1');
    await secrets.keepFailed('i-2');

    expect([before, await ownToken(aws, own).keepFailed()]).toEqual([false, true]);
    expect(await secrets.find('i-1')).toMatchObject({ keepFailed: true });
  });
});

describe('ownToken', () => {
  const responses = (error: Error) => scriptedCalls({ DescribeSecret: error, GetSecretValue: error }).aws;

  it('ownToken does not exist while there is no secret, one without a value, or one that is being deleted', async () => {
    expect(await ownToken(responses(missing), own).exists()).toBe(false);
    expect(await ownToken(scriptedCalls({ DescribeSecret: { DeletedDate: new Date() } }).aws, own).exists()).toBe(
      false,
    );
    expect(await ownToken(scriptedCalls({ DescribeSecret: {} }).aws, own).exists()).toBe(false);
    const VersionIdsToStages = { v1: ['AWSCURRENT'] };
    expect(await ownToken(scriptedCalls({ DescribeSecret: { VersionIdsToStages } }).aws, own).exists()).toBe(true);
  });

  it('reads nothing while there is no token; any other failure is an error', async () => {
    expect(await ownToken(responses(missing), own).read()).toBeUndefined();
    expect(await ownToken(responses(awsError('InvalidRequestException')), own).read()).toBeUndefined();
    await expect(ownToken(responses(awsError('AccessDeniedException')), own).read()).rejects.toThrow('AccessDenied');
  });
});

it('readSecret returns the text without white space around it', async () => {
  const { aws } = scriptedCalls({ GetSecretValue: { SecretString: ' ghp_x\n' } });

  expect((await readSecret(aws, 'a')).reveal()).toBe('ghp_x');
});

it.each([
  ['its only value', { anything: ' ghp_x\n' }],
  ['the value of token', { user: 'octocat', token: 'ghp_x' }],
  ['the value of private_key', { app_id: '1', private_key: 'ghp_x' }],
])('readSecret takes from a secret in JSON %s', async (_, value) => {
  const { aws } = scriptedCalls({ GetSecretValue: { SecretString: JSON.stringify(value) } });

  expect((await readSecret(aws, 'a')).reveal()).toBe('ghp_x');
});

it.each([
  ['is JSON with several unknown keys', { SecretString: '{"user":"octocat","pat":"ghp_x"}' }, 'keys: user, pat'],
  ['is JSON with both usual keys', { SecretString: '{"token":"ghp_x","private_key":"pem"}' }, 'token, private_key'],
  ['is broken JSON', { SecretString: '{"token": ghp_x' }, 'JSON'],
  ['is binary', { SecretBinary: new Uint8Array([1]) }, 'binary'],
])(
  'readSecret refuses a secret that %s, with its name, the reason and a remedy, without the value',
  async (_, value, reason) => {
    const refused = await readSecret(scriptedCalls({ GetSecretValue: value }).aws, 'github-token').catch(
      (error) => error,
    );

    expect(refused).toMatchObject({
      message: expect.stringContaining('github-token'),
      remedy: expect.stringContaining('plain text'),
    });
    expect(refused.message).toContain(reason);
    expect(refused.message).not.toContain('ghp_x');
  },
);
