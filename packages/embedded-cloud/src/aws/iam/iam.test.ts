import { VirtualClock } from '@drover/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { World } from '../../world.ts';
import type { Caller } from '../aws.ts';
import type { Permission } from '../service.ts';
import { passRole } from './pass-role.ts';

const account = '123456789012';
const trust = (service: string) =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' }],
  });
const policy = (...Statement: object[]) => JSON.stringify({ Version: '2012-10-17', Statement });

let clock: VirtualClock;
let world: World;
let root: Caller;

beforeEach(() => {
  clock = new VirtualClock();
  world = new World({ clock });
  root = { credentials: world.aws.iam.rootCredentials };
});

const iam = (operation: string, input: object, caller: Caller = root) =>
  world.aws.call('iam', operation, input, caller) as Promise<Record<string, never>>;
const sts = (operation: string, input: object, caller: Caller) =>
  world.aws.call('sts', operation, input, caller) as Promise<Record<string, never>>;

/** A role for a service with one inline policy, and credentials of a session of it. */
async function roleWith(name: string, document: string, service = 'lambda.amazonaws.com'): Promise<Caller> {
  await iam('CreateRole', { RoleName: name, AssumeRolePolicyDocument: trust(service) });
  await iam('PutRolePolicy', { RoleName: name, PolicyName: 'p', PolicyDocument: document });
  return session(name, 'session', service);
}

const session = (name: string, sessionName: string, service = 'lambda.amazonaws.com'): Caller => ({
  credentials: world.aws.iam.assumeRoleForService(`arn:aws:iam::${account}:role/${name}`, service, sessionName),
});

/** Asks IAM as the dispatcher does. */
function ask(caller: Caller, permission: Permission, service = 'secretsmanager'): string {
  const { accessKeyId, sessionToken } = caller.credentials;
  try {
    world.aws.iam.authorize(world.aws.iam.principalFor(accessKeyId, sessionToken), permission, service);
    return 'allowed';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('policy evaluation', () => {
  it('[rule 16] lets an explicit deny win over an allow, in whatever order they stand', async () => {
    const deny = { Effect: 'Deny', Action: 'iam:GetRole', Resource: '*' };
    const allow = { Effect: 'Allow', Action: 'iam:*', Resource: '*' };
    const denyFirst = await roleWith('deny-first', policy(deny, allow));
    const allowFirst = await roleWith('allow-first', policy(allow, deny));

    for (const caller of [denyFirst, allowFirst]) {
      const refused = iam('GetRole', { RoleName: 'deny-first' }, caller);
      await expect(refused).rejects.toThrow(/with an explicit deny in an identity-based policy$/);
    }
  });

  it('[rule 16] takes a missing allow for a deny and words it as AWS does', async () => {
    const caller = await roleWith('reader', policy({ Effect: 'Allow', Action: 's3:GetObject', Resource: '*' }));

    await expect(iam('GetRole', { RoleName: 'reader' }, caller)).rejects.toMatchObject({
      code: 'AccessDenied',
      status: 403,
      message:
        `User: arn:aws:sts::${account}:assumed-role/reader/session is not authorized to perform: iam:GetRole ` +
        `on resource: arn:aws:iam::${account}:role/reader because no identity-based policy allows the iam:GetRole action`,
    });
  });

  it('answers with the error code of the service that is called', async () => {
    const caller = await roleWith('nobody', policy({ Effect: 'Allow', Action: 's3:GetObject', Resource: '*' }));
    const { accessKeyId, sessionToken } = caller.credentials;
    const principal = world.aws.iam.principalFor(accessKeyId, sessionToken);
    const codeOf = (service: string) => {
      try {
        world.aws.iam.authorize(principal, { action: `${service}:X`, resource: '*' }, service);
      } catch (error) {
        return (error as { code: string }).code;
      }
      return 'allowed';
    };

    expect(codeOf('ec2')).toBe('UnauthorizedOperation');
    expect(codeOf('secretsmanager')).toBe('AccessDeniedException');
    expect(codeOf('sns')).toBe('AuthorizationError');
    expect(codeOf('autoscaling')).toBe('AccessDenied');
  });

  it('[rule 16] lets an instance read only the secret that is tagged with its own ARN', async () => {
    const instanceArn = (id: string) => `arn:aws:ec2:eu-west-1:${account}:instance/${id}`;
    await roleWith(
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
      credentials: world.aws.iam.assumeRoleForService(`arn:aws:iam::${account}:role/runner`, 'ec2.amazonaws.com', id, {
        sourceInstanceArn: instanceArn(id),
      }),
    });
    const readSecretOf = (id: string): Permission => ({
      action: 'secretsmanager:GetSecretValue',
      resource: `arn:aws:secretsmanager:eu-west-1:${account}:secret:token-${id}`,
      context: { 'aws:ResourceTag/owner': instanceArn(id) },
    });

    expect(ask(onInstance('i-1'), readSecretOf('i-1'))).toBe('allowed');
    expect(ask(onInstance('i-1'), readSecretOf('i-2'))).toMatch(/no identity-based policy allows/);
    // Credentials of the same role that no instance holds have no such key: the variable has no value, nothing matches.
    expect(ask(session('runner', 'i-1', 'ec2.amazonaws.com'), readSecretOf('i-1'))).toMatch(/no identity-based policy/);
  });

  it('[rule 16] compares aws:ResourceTag with the tags of the resource, also under the prefix of the service', async () => {
    const tagged = (key: string) => ({
      Effect: 'Allow',
      Action: 'ec2:TerminateInstances',
      Resource: '*',
      Condition: { StringEquals: { [key]: 'blue' } },
    });
    const general = await roleWith('general', policy(tagged('aws:ResourceTag/cluster')));
    const specific = await roleWith('specific', policy(tagged('ec2:ResourceTag/cluster')));
    const terminate = (cluster: string): Permission => ({
      action: 'ec2:TerminateInstances',
      resource: `arn:aws:ec2:eu-west-1:${account}:instance/i-1`,
      context: { 'aws:ResourceTag/cluster': cluster },
    });

    for (const caller of [general, specific]) {
      expect(ask(caller, terminate('blue'), 'ec2')).toBe('allowed');
      expect(ask(caller, terminate('green'), 'ec2')).toMatch(
        /^You are not authorized to perform this operation\. User:/,
      );
    }
  });

  it('[rule 16] carries the session name in aws:userid', async () => {
    await roleWith(
      'node',
      policy({
        Effect: 'Allow',
        Action: 'autoscaling:CompleteLifecycleAction',
        Resource: '*',
        Condition: { StringLike: { 'aws:userid': '*:i-0123' } },
      }),
    );
    const complete: Permission = { action: 'autoscaling:CompleteLifecycleAction', resource: '*' };

    expect(ask(session('node', 'i-0123'), complete)).toBe('allowed');
    expect(ask(session('node', 'i-9999'), complete)).toMatch(/not authorized/);
  });

  it('sees a changed policy at once, although decisions are remembered', async () => {
    const caller = await roleWith('changing', policy({ Effect: 'Allow', Action: 'iam:GetRole', Resource: '*' }));
    await iam('GetRole', { RoleName: 'changing' }, caller);

    await iam('DeleteRolePolicy', { RoleName: 'changing', PolicyName: 'p' });

    await expect(iam('GetRole', { RoleName: 'changing' }, caller)).rejects.toThrow(/not authorized/);
  });

  it('gives sessions of a deleted role nothing, even when a role of that name is created again', async () => {
    const document = policy({ Effect: 'Allow', Action: 'iam:*', Resource: '*' });
    const old = await roleWith('phoenix', document);
    await iam('DeleteRolePolicy', { RoleName: 'phoenix', PolicyName: 'p' });
    await iam('DeleteRole', { RoleName: 'phoenix' });
    const young = await roleWith('phoenix', document);

    await expect(iam('GetRole', { RoleName: 'phoenix' }, old)).rejects.toThrow(/not authorized/);
    await expect(iam('GetRole', { RoleName: 'phoenix' }, young)).resolves.toBeDefined();
  });

  it('keeps a permissions boundary from being crossed', async () => {
    const { Policy } = await iam('CreatePolicy', {
      PolicyName: 'fence',
      PolicyDocument: policy({ Effect: 'Allow', Action: 's3:*', Resource: '*' }),
    });
    await iam('CreateRole', {
      RoleName: 'fenced',
      AssumeRolePolicyDocument: trust('lambda.amazonaws.com'),
      PermissionsBoundary: (Policy as { Arn: string }).Arn,
    });
    const all = policy({ Effect: 'Allow', Action: '*', Resource: '*' });
    await iam('PutRolePolicy', { RoleName: 'fenced', PolicyName: 'all', PolicyDocument: all });

    expect(ask(session('fenced', 's'), { action: 's3:GetObject', resource: 'arn:aws:s3:::b/k' })).toBe('allowed');
    expect(ask(session('fenced', 's'), { action: 'sqs:SendMessage', resource: 'arn:aws:sqs:::q' })).toMatch(
      /because no permissions boundary allows the sqs:SendMessage action/,
    );
  });

  it('decides anew when a policy looks at the time', async () => {
    const until = new Date(clock.now() + 60_000).toISOString();
    const caller = await roleWith(
      'brief',
      policy({
        Effect: 'Allow',
        Action: 'iam:GetRole',
        Resource: '*',
        Condition: { DateLessThan: { 'aws:CurrentTime': until } },
      }),
    );
    await iam('GetRole', { RoleName: 'brief' }, caller);

    await clock.advance(61_000);

    await expect(iam('GetRole', { RoleName: 'brief' }, caller)).rejects.toThrow(/not authorized/);
  });

  it('requires the right to pass a role, for the service it is passed to', async () => {
    const caller = await roleWith(
      'passer',
      policy({
        Effect: 'Allow',
        Action: 'iam:PassRole',
        Resource: `arn:aws:iam::${account}:role/target`,
        Condition: { StringEquals: { 'iam:PassedToService': 'ec2.amazonaws.com' } },
      }),
    );
    const target = `arn:aws:iam::${account}:role/target`;

    expect(ask(caller, passRole(target, 'ec2.amazonaws.com'))).toBe('allowed');
    expect(ask(caller, passRole(target, 'lambda.amazonaws.com'))).toMatch(/not authorized to perform: iam:PassRole/);
    expect(ask(caller, passRole(`${target}-2`, 'ec2.amazonaws.com'))).toMatch(/not authorized/);
  });

  it("attaches AWS's own policies by ARN and refuses those that it does not know", async () => {
    const caller = await roleWith('fn', policy({ Effect: 'Allow', Action: 's3:GetObject', Resource: '*' }));
    const PolicyArn = 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';
    await iam('AttachRolePolicy', { RoleName: 'fn', PolicyArn });

    expect(ask(caller, { action: 'logs:PutLogEvents', resource: 'arn:aws:logs:eu-west-1:1:log-group:x' })).toBe(
      'allowed',
    );
    await expect(
      iam('AttachRolePolicy', { RoleName: 'fn', PolicyArn: 'arn:aws:iam::aws:policy/Unheard' }),
    ).rejects.toMatchObject({ code: 'NoSuchEntity' });
  });
});

describe("resources' own policies", () => {
  const queue = `arn:aws:sqs:eu-west-1:${account}:q`;
  const statement = (Principal: unknown, rest: object = {}) => ({
    Effect: 'Allow',
    Principal,
    Action: 'sqs:SendMessage',
    Resource: queue,
    ...rest,
  });
  const own = (...statements: object[]) => {
    const document = policy(...statements);
    world.aws.iam.registerResourcePolicies('sqs', (arn) => (arn === queue ? { document } : undefined));
  };
  const send: Permission = { action: 'sqs:SendMessage', resource: queue };
  const powerless = () => roleWith('powerless', policy({ Effect: 'Allow', Action: 's3:GetObject', Resource: '*' }));

  it('let a role in that has no policy of its own, when they name it', async () => {
    const caller = await powerless();
    own(statement({ AWS: `arn:aws:iam::${account}:role/powerless` }));

    expect(ask(caller, send)).toBe('allowed');
  });

  it('leave the decision to the identity when they name its account only', async () => {
    const caller = await powerless();
    own(statement({ AWS: `arn:aws:iam::${account}:root` }));

    expect(ask(caller, send)).toMatch(/no identity-based policy allows/);
  });

  it('deny what the identity is allowed', async () => {
    const caller = await roleWith('sender', policy({ Effect: 'Allow', Action: 'sqs:*', Resource: '*' }));
    own({ ...statement('*'), Effect: 'Deny' });

    expect(ask(caller, send)).toMatch(/with an explicit deny in a resource-based policy$/);
  });

  it('must open the door where they are gatekeepers', async () => {
    const caller = await roleWith('crypt', policy({ Effect: 'Allow', Action: 'kms:*', Resource: '*' }));
    const key = `arn:aws:kms:eu-west-1:${account}:key/k`;
    const withStatement = (Principal: object) => {
      const document = policy({ Effect: 'Allow', Principal, Action: 'kms:*', Resource: '*' });
      world.aws.iam.registerResourcePolicies('kms', () => ({ document, gatekeeper: true }));
    };

    withStatement({ AWS: `arn:aws:iam::${account}:role/other` });
    expect(ask(caller, { action: 'kms:Decrypt', resource: key })).toMatch(/no resource-based policy allows/);
    withStatement({ AWS: `arn:aws:iam::${account}:root` });
    expect(ask(caller, { action: 'kms:Decrypt', resource: key })).toBe('allowed');
  });

  it('let a service in only for the source that they name', () => {
    const rule = `arn:aws:events:eu-west-1:${account}:rule/r`;
    own(statement({ Service: 'events.amazonaws.com' }, { Condition: { ArnLike: { 'aws:SourceArn': rule } } }));
    const may = (service: string, source: string) =>
      world.aws.iam.serviceMay(service, { ...send, context: { 'aws:SourceArn': source } });

    expect(may('events.amazonaws.com', rule)).toBe(true);
    expect(may('events.amazonaws.com', `${rule}2`)).toBe(false);
    expect(may('sns.amazonaws.com', rule)).toBe(false);
  });
});

describe('credentials', () => {
  it('are refused once they have expired', async () => {
    const caller = await roleWith('shortly', policy({ Effect: 'Allow', Action: '*', Resource: '*' }));
    await expect(sts('GetCallerIdentity', {}, caller)).resolves.toMatchObject({
      Arn: `arn:aws:sts::${account}:assumed-role/shortly/session`,
      Account: account,
    });

    await clock.advance(6 * 3_600_000);

    await expect(sts('GetCallerIdentity', {}, caller)).rejects.toMatchObject({ code: 'ExpiredToken' });
  });

  it('are worth nothing without their session token', async () => {
    const { credentials } = await roleWith('tokenless', policy({ Effect: 'Allow', Action: '*', Resource: '*' }));
    const caller = { credentials: { accessKeyId: credentials.accessKeyId } };

    await expect(sts('GetCallerIdentity', {}, caller)).rejects.toMatchObject({ code: 'InvalidClientTokenId' });
  });

  it('are handed to a service only when the trust policy names it', async () => {
    await roleWith('for-lambda', policy({ Effect: 'Allow', Action: '*', Resource: '*' }));

    expect(() => session('for-lambda', 's', 'ec2.amazonaws.com')).toThrow(/ec2\.amazonaws\.com is not authorized/);
  });

  it('of a user work as long as the key exists', async () => {
    await iam('CreateUser', { UserName: 'operator' });
    const document = policy({
      Effect: 'Allow',
      Action: 'iam:GetUser',
      Resource: `arn:aws:iam::${account}:user/\${aws:username}`,
    });
    await iam('PutUserPolicy', { UserName: 'operator', PolicyName: 'self', PolicyDocument: document });
    const { AccessKey } = await iam('CreateAccessKey', { UserName: 'operator' });
    const { AccessKeyId } = AccessKey as { AccessKeyId: string };
    const caller = { credentials: { accessKeyId: AccessKeyId } };

    await expect(iam('GetUser', { UserName: 'operator' }, caller)).resolves.toBeDefined();
    await expect(iam('GetUser', { UserName: 'other' }, caller)).rejects.toThrow(/not authorized/);
    await iam('DeleteAccessKey', { UserName: 'operator', AccessKeyId });
    await expect(sts('GetCallerIdentity', {}, caller)).rejects.toMatchObject({ code: 'InvalidClientTokenId' });
  });
});
