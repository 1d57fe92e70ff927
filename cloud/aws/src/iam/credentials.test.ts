import { beforeEach, describe, expect, it } from 'vitest';
import { account, IamFixture, policy } from './iam.test-support.ts';

let fixture: IamFixture;

beforeEach(() => {
  fixture = new IamFixture();
});

describe('credentials', () => {
  it('credentials are refused once they have expired', async () => {
    const caller = await fixture.roleWith('shortly', policy({ Effect: 'Allow', Action: '*', Resource: '*' }));
    await expect(fixture.sts('GetCallerIdentity', {}, caller)).resolves.toMatchObject({
      Arn: `arn:aws:sts::${account}:assumed-role/shortly/session`,
      Account: account,
    });

    await fixture.clock.advance(6 * 3_600_000);

    await expect(fixture.sts('GetCallerIdentity', {}, caller)).rejects.toMatchObject({ code: 'ExpiredToken' });
  });

  it('credentials are worth nothing without their session token', async () => {
    const { credentials } = await fixture.roleWith(
      'tokenless',
      policy({ Effect: 'Allow', Action: '*', Resource: '*' }),
    );
    const caller = { credentials: { accessKeyId: credentials.accessKeyId } };

    await expect(fixture.sts('GetCallerIdentity', {}, caller)).rejects.toMatchObject({ code: 'InvalidClientTokenId' });
  });

  it('credentials are handed to a service only when the trust policy names it', async () => {
    await fixture.roleWith('for-lambda', policy({ Effect: 'Allow', Action: '*', Resource: '*' }));

    expect(() => fixture.session('for-lambda', 's', 'ec2.amazonaws.com')).toThrow(
      /ec2\.amazonaws\.com is not authorized/,
    );
  });

  it('credentials are handed to a service only for the source that the trust policy names', async () => {
    const cluster = `arn:aws:ecs:eu-west-1:${account}:cluster/c`;
    const document = policy({
      Effect: 'Allow',
      Principal: { Service: 'ecs-tasks.amazonaws.com' },
      Action: 'sts:AssumeRole',
      Condition: { StringEquals: { 'aws:SourceAccount': account }, ArnLike: { 'aws:SourceArn': `${cluster}*` } },
    });
    await fixture.iam('CreateRole', { RoleName: 'task', AssumeRolePolicyDocument: document });
    const assume = (sourceArn: string) => () =>
      fixture.world.aws.iam.assumeRoleForService(`arn:aws:iam::${account}:role/task`, 'ecs-tasks.amazonaws.com', 't', {
        sourceArn,
      });

    expect(assume(cluster)).not.toThrow();
    expect(assume(`arn:aws:ecs:eu-west-1:${account}:cluster/d`)).toThrow(/not authorized to assume/);
  });

  it('credentials of a user carry the policies that are attached to it', async () => {
    await fixture.iam('CreateUser', { UserName: 'operator' });
    const PolicyArn = 'arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore';
    await fixture.iam('AttachUserPolicy', { UserName: 'operator', PolicyArn });
    const { AccessKey } = await fixture.iam('CreateAccessKey', { UserName: 'operator' });
    const { AccessKeyId } = AccessKey as unknown as { AccessKeyId: string };
    const caller = { credentials: { accessKeyId: AccessKeyId } };

    expect(fixture.ask(caller, { action: 'ssm:GetParameter', resource: '*' })).toBe('allowed');
    expect(fixture.ask(caller, { action: 's3:GetObject', resource: '*' })).toMatch(/not authorized/);
  });
});
