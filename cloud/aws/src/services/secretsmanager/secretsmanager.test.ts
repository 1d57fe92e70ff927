import {
  CreateSecretCommand,
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  ListSecretsCommand,
  PutSecretValueCommand,
  RestoreSecretCommand,
  TagResourceCommand,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { clients } from '@drover/cloud-world';
import { describe, expect, it } from 'vitest';
import { makeResource } from '../../cloudformation/testing/make-resource.ts';
import { role, type TestWorld, testWorld } from '../lambda/function-world.test-support.ts';

const day = 86_400_000;

const create = ({ aws }: TestWorld, Name: string, SecretString = 'one', more: object = {}) =>
  aws.secretsmanager.send(new CreateSecretCommand({ Name, SecretString, ...more }));
const read = ({ aws }: TestWorld, SecretId: string, more: object = {}) =>
  aws.secretsmanager.send(new GetSecretValueCommand({ SecretId, ...more }));
const remove = ({ aws }: TestWorld, SecretId: string, more: object = {}) =>
  aws.secretsmanager.send(new DeleteSecretCommand({ SecretId, ...more }));

describe('deleting a secret', () => {
  it('deleting a secret can be undone within the window', async () => {
    const test = testWorld();
    await create(test, 'a', 'kept');
    await remove(test, 'a');

    await test.aws.secretsmanager.send(new RestoreSecretCommand({ SecretId: 'a' }));
    await test.clock.advance(40 * day);

    expect(await read(test, 'a')).toMatchObject({ SecretString: 'kept' });
  });

  it('deleting a secret by force does not complain about one that is not there', async () => {
    const test = testWorld();

    await expect(remove(test, 'nothing', { ForceDeleteWithoutRecovery: true })).resolves.toMatchObject({
      Name: 'nothing',
    });
    await expect(remove(test, 'nothing')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});

describe('the versions of a secret', () => {
  it('moves a stage only when the version that holds it is named', async () => {
    const test = testWorld();
    const { VersionId: first } = await create(test, 'a', 'first');
    const { VersionId: second } = await test.aws.secretsmanager.send(
      new PutSecretValueCommand({ SecretId: 'a', SecretString: 'second', VersionStages: ['NEXT'] }),
    );
    const move = (RemoveFromVersionId?: string) =>
      test.aws.secretsmanager.send(
        new UpdateSecretVersionStageCommand({
          SecretId: 'a',
          VersionStage: 'AWSCURRENT',
          MoveToVersionId: second,
          RemoveFromVersionId,
        }),
      );

    await expect(move()).rejects.toMatchObject({ name: 'InvalidParameterException' });
    await move(first);

    expect(await read(test, 'a')).toMatchObject({ SecretString: 'second' });
    expect(await read(test, 'a', { VersionStage: 'AWSPREVIOUS' })).toMatchObject({ VersionId: first });
    expect(await read(test, 'a', { VersionStage: 'NEXT' })).toMatchObject({ VersionId: second });
  });

  it('PutSecretValue without a value is refused before its secret is looked for', async () => {
    await expect(
      testWorld().aws.secretsmanager.send(new PutSecretValueCommand({ SecretId: 'nothing' })),
    ).rejects.toMatchObject({ name: 'InvalidRequestException' });
  });

  it('DescribeSecret of a secret without a value has no list of versions', async () => {
    const { secretsmanager } = testWorld().aws;
    await secretsmanager.send(new CreateSecretCommand({ Name: 'a' }));

    const described = await secretsmanager.send(new DescribeSecretCommand({ SecretId: 'a' }));

    expect(described.VersionIdsToStages).toBeUndefined();
  });

  it('PutSecretValue attaches AWSCURRENT to the first version of a secret, whatever stages it names', async () => {
    const test = testWorld();
    await create(test, 'a', undefined, { SecretString: undefined });
    const put = (SecretString: string) =>
      test.aws.secretsmanager.send(
        new PutSecretValueCommand({ SecretId: 'a', SecretString, VersionStages: ['AWSPENDING'] }),
      );

    expect((await put('first')).VersionStages?.sort()).toEqual(['AWSCURRENT', 'AWSPENDING']);
    expect((await put('second')).VersionStages).toEqual(['AWSPENDING']);
    expect((await read(test, 'a')).SecretString).toBe('first');
  });

  it('PutSecretValue is refused beyond the quota of versions until a day has passed', async () => {
    const test = testWorld();
    await create(test, 'a');
    const put = () => test.aws.secretsmanager.send(new PutSecretValueCommand({ SecretId: 'a', SecretString: 'x' }));
    for (let count = 1; count < 144; count++) await put();

    await expect(put()).rejects.toMatchObject({ name: 'LimitExceededException' });
    await test.clock.advance(day);
    await put();
    expect(await read(test, 'a')).toMatchObject({ SecretString: 'x' });
  });

  it('accepts the same create request twice, but not another one with its name', async () => {
    const test = testWorld();
    const token = { ClientRequestToken: '11111111-1111-4111-8111-111111111111' };

    const first = await create(test, 'a', 'one', token);

    expect(await create(test, 'a', 'one', token)).toMatchObject({ ARN: first.ARN, VersionId: first.VersionId });
    await expect(create(test, 'a', 'two', token)).rejects.toMatchObject({ name: 'ResourceExistsException' });
    await expect(create(test, 'a')).rejects.toMatchObject({ name: 'ResourceExistsException' });
  });
});

describe('finding secrets', () => {
  it('takes the name, the complete ARN and the ARN without its suffix', async () => {
    const test = testWorld();
    const { ARN } = await create(test, 'team/a', 'value');

    expect(ARN).toMatch(/^arn:aws:secretsmanager:eu-west-1:123456789012:secret:team\/a-[A-Za-z0-9]{6}$/);
    for (const id of ['team/a', ARN!, ARN!.slice(0, -7)]) expect(await read(test, id)).toMatchObject({ ARN });
    await expect(read(test, `${ARN!.slice(0, -6)}zzzzzz`)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  it('lists by name prefix and tag, page by page, without those marked for deletion', async () => {
    const test = testWorld();
    for (const name of ['x/1', 'x/2', 'x/3', 'y/1'])
      await create(test, name, 'v', { Tags: [{ Key: 'k', Value: name }] });
    await remove(test, 'x/2');
    await test.clock.advance(300_000);
    const list = (more: object) => test.aws.secretsmanager.send(new ListSecretsCommand(more));
    const byName = { Filters: [{ Key: 'name' as const, Values: ['x/'] }] };

    const first = await list({ ...byName, MaxResults: 1 });
    const second = await list({ ...byName, MaxResults: 1, NextToken: first.NextToken });

    expect([...first.SecretList!, ...second.SecretList!].map(({ Name }) => Name)).toEqual(['x/3', 'x/1']);
    expect(second.NextToken).toBeUndefined();
    const byTag = await list({ Filters: [{ Key: 'tag-value', Values: ['y/'] }] });
    expect(byTag.SecretList?.map(({ Name }) => Name)).toEqual(['y/1']);
    const all = await list({ ...byName, IncludePlannedDeletion: true });
    expect(all.SecretList).toHaveLength(3);
  });

  it('[rule 9] ListSecrets does not show what changed in the last five minutes, DescribeSecret does', async () => {
    const test = testWorld();
    await create(test, 'old');
    await test.clock.advance(400_000);
    await create(test, 'new');
    await remove(test, 'old', { ForceDeleteWithoutRecovery: true });
    await test.clock.advance(60_000);
    const listed = async () =>
      (await test.aws.secretsmanager.send(new ListSecretsCommand({}))).SecretList?.map(({ Name }) => Name);

    expect(await listed()).toEqual(['old']);
    await expect(read(test, 'old')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    expect(await test.aws.secretsmanager.send(new DescribeSecretCommand({ SecretId: 'new' }))).toMatchObject({
      Name: 'new',
    });
    await test.clock.advance(300_000);
    expect(await listed()).toEqual(['new']);
  });
});

describe('access to secrets', () => {
  it('access to a secret is decided with the tags of the secret and of the request', async () => {
    const test = testWorld();
    const arn = await role(test, 'reader', 'lambda.amazonaws.com', [
      {
        Effect: 'Allow',
        Action: ['secretsmanager:GetSecretValue', 'secretsmanager:DeleteSecret'],
        Resource: '*',
        Condition: { StringEquals: { 'secretsmanager:ResourceTag/owner': 'me' } },
      },
      {
        Effect: 'Allow',
        Action: ['secretsmanager:CreateSecret', 'secretsmanager:TagResource'],
        Resource: 'arn:aws:secretsmanager:*:*:secret:mine/*',
        Condition: { StringEquals: { 'aws:RequestTag/owner': 'me' } },
      },
    ]);
    const credentials = test.world.aws.iam.assumeRoleForService(arn, 'lambda.amazonaws.com', 'session');
    const mine: TestWorld = { ...test, aws: clients(test.world, credentials, { maxAttempts: 1 }) };
    await create(test, 'a', 'one', { Tags: [{ Key: 'owner', Value: 'me' }] });
    await create(test, 'b');

    expect(await read(mine, 'a')).toMatchObject({ SecretString: 'one' });
    await expect(read(mine, 'b')).rejects.toMatchObject({ name: 'AccessDeniedException' });
    await expect(create(mine, 'mine/1')).rejects.toMatchObject({ name: 'AccessDeniedException' });
    await expect(create(mine, 'mine/1', 'v', { Tags: [{ Key: 'owner', Value: 'me' }] })).resolves.toBeDefined();
    await expect(remove(mine, 'mine/1', { ForceDeleteWithoutRecovery: true })).resolves.toBeDefined();
    await expect(create(mine, 'yours', 'v', { Tags: [{ Key: 'owner', Value: 'me' }] })).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
  });
});

it('the journal never shows the value of a secret', async () => {
  const test = testWorld();
  await create(test, 'a', 'hush-hush-1');
  await test.aws.secretsmanager.send(new PutSecretValueCommand({ SecretId: 'a', SecretString: 'hush-hush-2' }));
  await read(test, 'a');
  await test.aws.secretsmanager.send(new TagResourceCommand({ SecretId: 'a', Tags: [{ Key: 'k', Value: 'v' }] }));

  expect(JSON.stringify(test.world.engine.journal.entries)).not.toContain('hush-hush');
});

it('generates passwords with every included type', async () => {
  const test = testWorld();
  const GenerateSecretString = { PasswordLength: 12, ExcludePunctuation: true, ExcludeCharacters: 'abc' };

  await makeResource(test.world, 'AWS::SecretsManager::Secret', { Name: 'made', GenerateSecretString });

  expect((await read(test, 'made')).SecretString).toMatch(/^(?=.*[d-z])(?=.*[A-Z])(?=.*\d)[d-zA-Z0-9]{12}$/);
});
