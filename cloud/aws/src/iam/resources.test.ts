import { DeleteStackCommand, UpdateStackCommand } from '@aws-sdk/client-cloudformation';
import { AttachRolePolicyCommand, GetRoleCommand } from '@aws-sdk/client-iam';
import { beforeEach, describe, expect, it } from 'vitest';
import { type StackWorld, stackWorld } from '../cloudformation/testing/stack-world.ts';

let stack: StackWorld;

beforeEach(() => {
  stack = stackWorld();
});

const capabilities = { Capabilities: ['CAPABILITY_NAMED_IAM' as const] };
const policy = (Action: string, more: object = {}) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action, Resource: '*', ...more }],
});
const trust = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }],
};
const role = (more: object = {}) => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    RoleName: 'node',
    AssumeRolePolicyDocument: trust,
    ManagedPolicyArns: ['arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore'],
    Policies: [{ PolicyName: 'first', PolicyDocument: policy('s3:GetObject') }],
    ...more,
  },
});
const template = (roleProperties: object = {}) => ({
  Resources: {
    Role: role(roleProperties),
    Inline: {
      Type: 'AWS::IAM::Policy',
      Properties: { PolicyName: 'second', PolicyDocument: policy('s3:PutObject'), Roles: [{ Ref: 'Role' }] },
    },
    Profile: { Type: 'AWS::IAM::InstanceProfile', Properties: { Roles: [{ Ref: 'Role' }] } },
  },
  Outputs: {
    RoleArn: { Value: { 'Fn::GetAtt': ['Role', 'Arn'] } },
    ProfileArn: { Value: { 'Fn::GetAtt': ['Profile', 'Arn'] } },
  },
});

/** Which of these actions a session of the role is allowed. */
const allowed = (...actions: string[]) => {
  const { iam } = stack.world.aws;
  const roleArn = 'arn:aws:iam::123456789012:role/node';
  const { accessKeyId, sessionToken } = iam.assumeRoleForService(roleArn, 'ec2.amazonaws.com', 'i-1');
  const principal = iam.principalFor(accessKeyId, sessionToken);
  const may = (action: string) => {
    try {
      iam.authorize(principal, { action, resource: '*' }, 'iam');
      return true;
    } catch {
      return false;
    }
  };
  return actions.filter(may);
};
const asked = ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 'ssm:GetParameter'];

describe('a stack with roles and policies', () => {
  it('gives a role its policies and a profile its role', async () => {
    const { Outputs, StackStatus } = await stack.create('s', template(), capabilities);
    const output = (key: string) => Outputs!.find(({ OutputKey }) => OutputKey === key)!.OutputValue!;

    expect(StackStatus).toBe('CREATE_COMPLETE');
    expect(output('RoleArn')).toBe('arn:aws:iam::123456789012:role/node');
    expect(allowed(...asked)).toEqual(['s3:GetObject', 's3:PutObject', 'ssm:GetParameter']);
    expect(stack.world.aws.iam.roleOfInstanceProfile(output('ProfileArn'))).toBe(output('RoleArn'));
  });

  it('changes a role in place', async () => {
    await stack.create('s', template(), capabilities);
    const before = await stack.sdk.iam.send(new GetRoleCommand({ RoleName: 'node' }));
    const changed = template({
      Policies: [{ PolicyName: 'renamed', PolicyDocument: policy('s3:DeleteObject') }],
      ManagedPolicyArns: [],
      MaxSessionDuration: 7200,
    });

    const TemplateBody = JSON.stringify(changed);
    await stack.sdk.cloudformation.send(new UpdateStackCommand({ StackName: 's', TemplateBody, ...capabilities }));
    await stack.rest();

    const after = await stack.sdk.iam.send(new GetRoleCommand({ RoleName: 'node' }));
    expect(after.Role!.RoleId).toBe(before.Role!.RoleId);
    expect(after.Role!.MaxSessionDuration).toBe(7200);
    expect(allowed(...asked)).toEqual(['s3:PutObject', 's3:DeleteObject']);
  });

  it('leaves nothing when it is deleted', async () => {
    await stack.create('s', template(), capabilities);

    await stack.sdk.cloudformation.send(new DeleteStackCommand({ StackName: 's' }));
    await stack.rest();

    await expect(stack.sdk.iam.send(new GetRoleCommand({ RoleName: 'node' }))).rejects.toMatchObject({
      name: 'NoSuchEntityException',
    });
  });

  it('a stack with roles and policies cannot delete a role to which another user attached a policy', async () => {
    await stack.create('s', template(), capabilities);
    const PolicyArn = 'arn:aws:iam::aws:policy/CloudWatchAgentServerPolicy';
    await stack.sdk.iam.send(new AttachRolePolicyCommand({ RoleName: 'node', PolicyArn }));

    await stack.sdk.cloudformation.send(new DeleteStackCommand({ StackName: 's' }));
    await stack.rest();

    expect((await stack.describe('s')).StackStatus).toBe('DELETE_FAILED');
  });

  it('rolls back when a policy uses a condition that is not known', async () => {
    const odd = policy('s3:GetObject', { Condition: { StringResembles: { 'aws:userid': 'x' } } });

    const { StackStatus } = await stack.create(
      's',
      template({ Policies: [{ PolicyName: 'odd', PolicyDocument: odd }] }),
      capabilities,
    );

    expect(StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(stack.events('s').join('\n')).toMatch(/condition operator StringResembles is not known/);
    await expect(stack.sdk.iam.send(new GetRoleCommand({ RoleName: 'node' }))).rejects.toThrow();
  });

  it('refuses inline policies that are too large together', async () => {
    const many = Array.from({ length: 300 }, (_, i) => `arn:aws:s3:::a-rather-long-bucket-name-${i}/*`);
    const PolicyDocument = policy('s3:GetObject', { Resource: many });

    const { StackStatus } = await stack.create(
      's',
      template({ Policies: [{ PolicyName: 'big', PolicyDocument }] }),
      capabilities,
    );

    expect(StackStatus).toBe('ROLLBACK_COMPLETE');
    expect(stack.events('s').join('\n')).toMatch(/Maximum policy size of 10240 bytes exceeded for role node/);
  });
});
