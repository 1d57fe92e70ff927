import { beforeEach, describe, expect, it } from 'vitest';
import type { Permission } from '../account/service.ts';
import { account, IamFixture, policy, trust } from './iam.test-support.ts';

let fixture: IamFixture;

beforeEach(() => {
  fixture = new IamFixture();
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
    fixture.world.aws.iam.registerResourcePolicies('sqs', (arn) => (arn === queue ? { document } : undefined));
  };
  const send: Permission = { action: 'sqs:SendMessage', resource: queue };
  const powerless = () =>
    fixture.roleWith('powerless', policy({ Effect: 'Allow', Action: 's3:GetObject', Resource: '*' }));

  it('let a role in that has no policy of its own, when they name it', async () => {
    const caller = await powerless();
    own(statement({ AWS: `arn:aws:iam::${account}:role/powerless` }));

    expect(fixture.ask(caller, send)).toBe('allowed');
  });

  it('let a role in no further than its boundary, and a session that they name all the way', async () => {
    await fixture.iam('CreateRole', {
      RoleName: 'fenced',
      AssumeRolePolicyDocument: trust('lambda.amazonaws.com'),
      PermissionsBoundary: 'arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore',
    });
    const caller = fixture.session('fenced', 's');

    own(statement({ AWS: `arn:aws:iam::${account}:role/fenced` }));
    expect(fixture.ask(caller, send)).toMatch(/because no permissions boundary allows/);
    own(statement({ AWS: `arn:aws:sts::${account}:assumed-role/fenced/s` }));
    expect(fixture.ask(caller, send)).toBe('allowed');
  });

  it('leave the decision to the identity when they name its account only', async () => {
    const caller = await powerless();
    own(statement({ AWS: `arn:aws:iam::${account}:root` }));

    expect(fixture.ask(caller, send)).toMatch(/no identity-based policy allows/);
  });

  it('deny what the identity is allowed', async () => {
    const caller = await fixture.roleWith('sender', policy({ Effect: 'Allow', Action: 'sqs:*', Resource: '*' }));
    own({ ...statement('*'), Effect: 'Deny' });

    expect(fixture.ask(caller, send)).toMatch(/with an explicit deny in a resource-based policy$/);
  });

  it('a key policy must allow what identity policies allow', async () => {
    const caller = await fixture.roleWith('crypt', policy({ Effect: 'Allow', Action: 'kms:*', Resource: '*' }));
    const key = `arn:aws:kms:eu-west-1:${account}:key/k`;
    const withStatement = (Principal: object) => {
      const document = policy({ Effect: 'Allow', Principal, Action: 'kms:*', Resource: '*' });
      fixture.world.aws.iam.registerResourcePolicies('kms', () => ({ document, gatekeeper: true }));
    };

    withStatement({ AWS: `arn:aws:iam::${account}:role/other` });
    expect(fixture.ask(caller, { action: 'kms:Decrypt', resource: key })).toMatch(/no resource-based policy allows/);
    withStatement({ AWS: `arn:aws:iam::${account}:root` });
    expect(fixture.ask(caller, { action: 'kms:Decrypt', resource: key })).toBe('allowed');
  });

  it('let a service in only for the source that they name', () => {
    const rule = `arn:aws:events:eu-west-1:${account}:rule/r`;
    own(statement({ Service: 'events.amazonaws.com' }, { Condition: { ArnLike: { 'aws:SourceArn': rule } } }));
    const may = (service: string, source: string) =>
      fixture.world.aws.iam.serviceMay(service, { ...send, context: { 'aws:SourceArn': source } });

    expect(may('events.amazonaws.com', rule)).toBe(true);
    expect(may('events.amazonaws.com', `${rule}2`)).toBe(false);
    expect(may('sns.amazonaws.com', rule)).toBe(false);
  });
});
