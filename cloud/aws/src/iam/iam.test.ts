import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller, Permission } from '../account/service.ts';
import { passRole } from './authorization/pass-role.ts';
import { account, IamFixture, policy, trust } from './iam.test-support.ts';

let fixture: IamFixture;

beforeEach(() => {
  fixture = new IamFixture();
});

describe('policy evaluation', () => {
  it('[rule 16] lets an explicit deny win over an allow, in whatever order they stand', async () => {
    const deny = { Effect: 'Deny', Action: 'iam:GetRole', Resource: '*' };
    const allow = { Effect: 'Allow', Action: 'iam:*', Resource: '*' };
    const denyFirst = await fixture.roleWith('deny-first', policy(deny, allow));
    const allowFirst = await fixture.roleWith('allow-first', policy(allow, deny));

    for (const caller of [denyFirst, allowFirst]) {
      const refused = fixture.iam('GetRole', { RoleName: 'deny-first' }, caller);
      await expect(refused).rejects.toThrow(/with an explicit deny in an identity-based policy$/);
    }
  });

  it('[rule 16] takes a missing allow for a deny and words it as AWS does', async () => {
    const caller = await fixture.roleWith('reader', policy({ Effect: 'Allow', Action: 's3:GetObject', Resource: '*' }));

    await expect(fixture.iam('GetRole', { RoleName: 'reader' }, caller)).rejects.toMatchObject({
      code: 'AccessDenied',
      status: 403,
      message:
        `User: arn:aws:sts::${account}:assumed-role/reader/session is not authorized to perform: iam:GetRole ` +
        `on resource: arn:aws:iam::${account}:role/reader because no identity-based policy allows the iam:GetRole action`,
    });
  });

  it('responds with the error code of the service that is called', async () => {
    const caller = await fixture.roleWith('nobody', policy({ Effect: 'Allow', Action: 's3:GetObject', Resource: '*' }));
    const { accessKeyId, sessionToken } = caller.credentials;
    const principal = fixture.world.aws.iam.principalFor(accessKeyId, sessionToken);
    const codeOf = (service: string) => {
      try {
        fixture.world.aws.iam.authorize(principal, { action: `${service}:X`, resource: '*' }, service);
      } catch (error) {
        return (error as { code: string }).code;
      }
      return 'allowed';
    };

    expect(codeOf('ec2')).toBe('UnauthorizedOperation');
    expect(codeOf('secretsmanager')).toBe('AccessDeniedException');
    expect(codeOf('autoscaling')).toBe('AccessDenied');
  });

  it('[rule 16] lets an instance read only the secret that is tagged with its own ARN', async () => {
    const instanceArn = (id: string) => `arn:aws:ec2:eu-west-1:${account}:instance/${id}`;
    await fixture.roleWith(
      'runner',
      policy({
        Effect: 'Allow',
        Action: 'secretsmanager:GetSecretValue',
        Resource: '*',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a policy variable
        Condition: { StringEquals: { 'aws:ResourceTag/owner': '${ec2:SourceInstanceARN}' } },
      }),
      'ec2.amazonaws.com',
    );
    const onInstance = (id: string): Caller => ({
      credentials: fixture.world.aws.iam.assumeRoleForService(
        `arn:aws:iam::${account}:role/runner`,
        'ec2.amazonaws.com',
        id,
        {
          sourceInstanceArn: instanceArn(id),
        },
      ),
    });
    const readSecretOf = (id: string): Permission => ({
      action: 'secretsmanager:GetSecretValue',
      resource: `arn:aws:secretsmanager:eu-west-1:${account}:secret:token-${id}`,
      context: { 'aws:ResourceTag/owner': instanceArn(id) },
    });

    expect(fixture.ask(onInstance('i-1'), readSecretOf('i-1'))).toBe('allowed');
    expect(fixture.ask(onInstance('i-1'), readSecretOf('i-2'))).toMatch(/no identity-based policy allows/);
    // Credentials of the same role that no instance holds have no such key: the variable has no value, nothing matches.
    expect(fixture.ask(fixture.session('runner', 'i-1', 'ec2.amazonaws.com'), readSecretOf('i-1'))).toMatch(
      /no identity-based policy/,
    );
  });

  it('[rule 16] compares aws:ResourceTag with the tags of the resource, also under the prefix of the service', async () => {
    const tagged = (key: string) => ({
      Effect: 'Allow',
      Action: 'ec2:TerminateInstances',
      Resource: '*',
      Condition: { StringEquals: { [key]: 'blue' } },
    });
    const general = await fixture.roleWith('general', policy(tagged('aws:ResourceTag/cluster')));
    const specific = await fixture.roleWith('specific', policy(tagged('ec2:ResourceTag/cluster')));
    const terminate = (cluster: string): Permission => ({
      action: 'ec2:TerminateInstances',
      resource: `arn:aws:ec2:eu-west-1:${account}:instance/i-1`,
      context: { 'aws:ResourceTag/cluster': cluster },
    });

    for (const caller of [general, specific]) {
      expect(fixture.ask(caller, terminate('blue'), 'ec2')).toBe('allowed');
      expect(fixture.ask(caller, terminate('green'), 'ec2')).toMatch(
        /^You are not authorized to perform this operation\. User:/,
      );
    }
  });

  it('sees a changed policy at once, although decisions are remembered', async () => {
    const caller = await fixture.roleWith(
      'changing',
      policy({ Effect: 'Allow', Action: 'iam:GetRole', Resource: '*' }),
    );
    await fixture.iam('GetRole', { RoleName: 'changing' }, caller);

    await fixture.iam('DeleteRolePolicy', { RoleName: 'changing', PolicyName: 'p' });

    await expect(fixture.iam('GetRole', { RoleName: 'changing' }, caller)).rejects.toThrow(/not authorized/);
  });

  it('gives sessions of a deleted role nothing, even when a role of that name is created again', async () => {
    const document = policy({ Effect: 'Allow', Action: 'iam:*', Resource: '*' });
    const old = await fixture.roleWith('phoenix', document);
    await fixture.iam('DeleteRolePolicy', { RoleName: 'phoenix', PolicyName: 'p' });
    await fixture.iam('DeleteRole', { RoleName: 'phoenix' });
    const young = await fixture.roleWith('phoenix', document);

    await expect(fixture.iam('GetRole', { RoleName: 'phoenix' }, old)).rejects.toThrow(/not authorized/);
    await expect(fixture.iam('GetRole', { RoleName: 'phoenix' }, young)).resolves.toBeDefined();
  });

  it('keeps a permissions boundary from being crossed', async () => {
    await fixture.iam('CreateRole', {
      RoleName: 'fenced',
      AssumeRolePolicyDocument: trust('lambda.amazonaws.com'),
      PermissionsBoundary: 'arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore',
    });
    const all = policy({ Effect: 'Allow', Action: '*', Resource: '*' });
    await fixture.iam('PutRolePolicy', { RoleName: 'fenced', PolicyName: 'all', PolicyDocument: all });

    expect(fixture.ask(fixture.session('fenced', 's'), { action: 'ssm:GetParameter', resource: '*' })).toBe('allowed');
    expect(
      fixture.ask(fixture.session('fenced', 's'), { action: 'sqs:SendMessage', resource: 'arn:aws:sqs:::q' }),
    ).toMatch(/because no permissions boundary allows the sqs:SendMessage action/);
  });

  it('decides again when a policy looks at the time', async () => {
    const until = new Date(fixture.clock.now() + 60_000).toISOString();
    const caller = await fixture.roleWith(
      'brief',
      policy({
        Effect: 'Allow',
        Action: 'iam:GetRole',
        Resource: '*',
        Condition: { DateLessThan: { 'aws:CurrentTime': until } },
      }),
    );
    await fixture.iam('GetRole', { RoleName: 'brief' }, caller);

    await fixture.clock.advance(61_000);

    await expect(fixture.iam('GetRole', { RoleName: 'brief' }, caller)).rejects.toThrow(/not authorized/);
  });

  it('requires the right to pass a role, for the service it is passed to', async () => {
    const caller = await fixture.roleWith(
      'passer',
      policy({
        Effect: 'Allow',
        Action: 'iam:PassRole',
        Resource: `arn:aws:iam::${account}:role/target`,
        Condition: { StringEquals: { 'iam:PassedToService': 'ec2.amazonaws.com' } },
      }),
    );
    const target = `arn:aws:iam::${account}:role/target`;

    expect(fixture.ask(caller, passRole(target, 'ec2.amazonaws.com'))).toBe('allowed');
    expect(fixture.ask(caller, passRole(target, 'lambda.amazonaws.com'))).toMatch(
      /not authorized to perform: iam:PassRole/,
    );
    expect(fixture.ask(caller, passRole(`${target}-2`, 'ec2.amazonaws.com'))).toMatch(/not authorized/);
  });

  it("attaches AWS's own policies by ARN and refuses those that it does not know", async () => {
    const caller = await fixture.roleWith('fn', policy({ Effect: 'Allow', Action: 's3:GetObject', Resource: '*' }));
    const PolicyArn = 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';
    await fixture.iam('AttachRolePolicy', { RoleName: 'fn', PolicyArn });

    expect(fixture.ask(caller, { action: 'logs:PutLogEvents', resource: 'arn:aws:logs:eu-west-1:1:log-group:x' })).toBe(
      'allowed',
    );
    await expect(
      fixture.iam('AttachRolePolicy', { RoleName: 'fn', PolicyArn: 'arn:aws:iam::aws:policy/Unheard' }),
    ).rejects.toMatchObject({ code: 'NoSuchEntity' });
  });
});
