import { World } from '@drover/cloud-world';
import { VirtualClock } from '@drover/core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../account/service.ts';

const account = '123456789012';
const roleArn = (name: string) => `arn:aws:iam::${account}:role/${name}`;
const policy = (...Statement: object[]) => JSON.stringify({ Version: '2012-10-17', Statement });

let clock: VirtualClock;
let world: World;
let root: Caller;

beforeEach(() => {
  clock = new VirtualClock();
  world = new World({ clock });
  root = { credentials: world.aws.iam.rootCredentials };
});

const iam = (operation: string, input: object) => world.aws.call('iam', operation, input, root);

interface Assumed {
  Credentials: { AccessKeyId: string; SessionToken: string; Expiration: Date };
  AssumedRoleUser: { Arn: string };
}

async function assume(name: string, caller: Caller, more: object = {}): Promise<{ caller: Caller; answer: Assumed }> {
  const input = { RoleArn: roleArn(name), RoleSessionName: 'me', ...more };
  const answer = (await world.aws.call('sts', 'AssumeRole', input, caller)) as Assumed;
  const { AccessKeyId, SessionToken } = answer.Credentials;
  return { answer, caller: { credentials: { accessKeyId: AccessKeyId, sessionToken: SessionToken } } };
}

async function createRole(name: string, principal: unknown, allowed: object | undefined, more: object = {}) {
  const statement = { Effect: 'Allow', Principal: principal, Action: ['sts:AssumeRole', 'sts:TagSession'], ...more };
  await iam('CreateRole', { RoleName: name, AssumeRolePolicyDocument: policy(statement) });
  if (allowed !== undefined)
    await iam('PutRolePolicy', { RoleName: name, PolicyName: 'p', PolicyDocument: policy(allowed) });
}

const everything = { Effect: 'Allow', Action: '*', Resource: '*' };

describe('AssumeRole', () => {
  it('gives credentials of the role for the time that was asked for', async () => {
    await createRole('target', { AWS: `arn:aws:iam::${account}:root` }, everything);

    const { answer, caller } = await assume('target', root, { DurationSeconds: 900 });

    expect(answer.AssumedRoleUser.Arn).toBe(`arn:aws:sts::${account}:assumed-role/target/me`);
    expect(answer.Credentials.Expiration.getTime()).toBe(clock.now() + 900_000);
    await world.aws.call('iam', 'GetRole', { RoleName: 'target' }, caller);
    await clock.advance(900_000);
    await expect(world.aws.call('iam', 'GetRole', { RoleName: 'target' }, caller)).rejects.toMatchObject({
      code: 'ExpiredToken',
    });
  });

  it('refuses a caller whom the trust policy does not let in, whatever its own policies say', async () => {
    await createRole('first', { AWS: `arn:aws:iam::${account}:root` }, everything);
    await createRole('closed', { Service: 'lambda.amazonaws.com' }, everything);
    const { caller } = await assume('first', root);

    await expect(assume('closed', caller)).rejects.toMatchObject({
      code: 'AccessDenied',
      message: `User: arn:aws:sts::${account}:assumed-role/first/me is not authorized to perform: sts:AssumeRole on resource: ${roleArn('closed')}`,
    });
    await expect(assume('missing', root)).rejects.toMatchObject({ code: 'AccessDenied' });
  });

  it('needs no policy of the caller when the trust policy names it, and one when it names the account', async () => {
    await createRole('weak', { AWS: `arn:aws:iam::${account}:root` }, undefined);
    await createRole('named', { AWS: roleArn('weak') }, undefined);
    await createRole('open', { AWS: account }, undefined);
    const { caller } = await assume('weak', root);

    await expect(assume('named', caller)).resolves.toBeDefined();
    await expect(assume('open', caller)).rejects.toMatchObject({ code: 'AccessDenied' });
  });

  it('checks the external id that the trust policy asks for', async () => {
    const condition = { Condition: { StringEquals: { 'sts:ExternalId': 'open sesame' } } };
    await createRole('first', { AWS: `arn:aws:iam::${account}:root` }, everything);
    await createRole('guarded', { AWS: roleArn('first') }, undefined, condition);
    const { caller } = await assume('first', root);

    await expect(assume('guarded', caller, { ExternalId: 'open sesame' })).resolves.toBeDefined();
    await expect(assume('guarded', caller)).rejects.toMatchObject({ code: 'AccessDenied' });
  });

  it('limits a chained session to an hour and every session to the maximum of its role', async () => {
    await createRole('first', { AWS: `arn:aws:iam::${account}:root` }, everything);
    const statement = { Effect: 'Allow', Principal: { AWS: roleArn('first') }, Action: 'sts:AssumeRole' };
    const second = { RoleName: 'second', AssumeRolePolicyDocument: policy(statement), MaxSessionDuration: 43_200 };
    await iam('CreateRole', second);
    const { caller } = await assume('first', root);

    await expect(assume('first', root, { DurationSeconds: 3601 })).rejects.toThrow(/exceeds the MaxSessionDuration/);
    await expect(assume('second', caller, { DurationSeconds: 3601 })).rejects.toThrow(/role chaining/);
  });

  it('makes session tags tags of the principal, and a session policy a limit', async () => {
    await createRole(
      'tagged',
      { AWS: `arn:aws:iam::${account}:root` },
      {
        Effect: 'Allow',
        Action: 'iam:*',
        Resource: '*',
        Condition: { StringEquals: { 'aws:PrincipalTag/team': 'search' } },
      },
    );
    const getRole = (caller: Caller) => world.aws.call('iam', 'GetRole', { RoleName: 'tagged' }, caller);
    const withTag = await assume('tagged', root, { Tags: [{ Key: 'team', Value: 'search' }] });
    const without = await assume('tagged', root);
    const limited = await assume('tagged', root, {
      Tags: [{ Key: 'team', Value: 'search' }],
      Policy: policy({ Effect: 'Allow', Action: 's3:*', Resource: '*' }),
    });

    await expect(getRole(withTag.caller)).resolves.toBeDefined();
    await expect(getRole(without.caller)).rejects.toThrow(/no identity-based policy/);
    await expect(getRole(limited.caller)).rejects.toThrow(/because no session policy allows the iam:GetRole action/);
  });
});
