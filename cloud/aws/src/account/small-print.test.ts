import { ExecutePolicyCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeStacksCommand, GetTemplateSummaryCommand, UpdateStackCommand } from '@aws-sdk/client-cloudformation';
import { AttachRolePolicyCommand, CreateRoleCommand } from '@aws-sdk/client-iam';
import { DescribeSecretCommand, GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { expect, it } from 'vitest';
import { describeOperations } from '../cloudformation/operations/describe.ts';
import { makeResource } from '../cloudformation/testing/make-resource.ts';
import { stackWorld } from '../cloudformation/testing/stack-world.ts';
import { expiredCredentials } from '../iam/authorization/access-denied.ts';
import { testWorld } from '../services/lambda/function-world.test-support.ts';

const template = (name: string) =>
  JSON.stringify({
    Parameters: { P: { Type: 'String', Default: 'd' } },
    Resources: { A: { Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName: name } } },
  });

it('DescribeStacks leaves Outputs out where there are none, and returns at most 100 stacks at a time', async () => {
  const { world, sdk, create } = stackWorld();
  await create('s', JSON.parse(template('/g')));
  expect((await sdk.cloudformation.send(new DescribeStacksCommand({}))).Stacks?.[0]?.Outputs).toBeUndefined();

  const many = { all: () => Array.from({ length: 101 }, () => world.aws.cloudformation.stacks.get('s')) };
  const { run } = describeOperations(world.aws, many as never).DescribeStacks!;
  const page = (NextToken?: string) => run({ NextToken }, undefined as never) as { Stacks: []; NextToken?: string };

  expect(page().Stacks).toHaveLength(100);
  expect(page(page().NextToken)).toMatchObject({ Stacks: { length: 1 } });
});

it('GetTemplateSummary has the version of the template', async () => {
  const TemplateBody = JSON.stringify({ AWSTemplateFormatVersion: '2010-09-09', ...JSON.parse(template('/g')) });

  const summary = await stackWorld().sdk.cloudformation.send(new GetTemplateSummaryCommand({ TemplateBody }));

  expect(summary.Version).toBe('2010-09-09');
});

it('UpdateStack refuses a parameter with a value and UsePreviousValue', async () => {
  const { sdk, create } = stackWorld();
  await create('s', JSON.parse(template('/g')));
  const Parameters = [{ ParameterKey: 'P', ParameterValue: 'x', UsePreviousValue: true }];

  await expect(
    sdk.cloudformation.send(new UpdateStackCommand({ StackName: 's', UsePreviousTemplate: true, Parameters })),
  ).rejects.toThrow('Cannot specify usePreviousValue as true and non empty value');
});

it('GetParameter takes an ARN, returns 400 for an unknown name, and does not model references to secrets', async () => {
  const { aws, world } = testWorld();
  const get = (Name: string) => aws.ssm.send(new GetParameterCommand({ Name }));
  world.aws.ssm.setParameter('/app/a', '1');

  expect((await get('arn:aws:ssm:eu-west-1:123456789012:parameter/app/a')).Parameter?.Value).toBe('1');
  await expect(get('/none')).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
  await expect(get('/aws/reference/secretsmanager/s')).rejects.toMatchObject({ name: 'NotImplemented' });
});

it('a password of four characters may include a space without requiring one; a secret without tags shows none', async () => {
  const { world, aws } = testWorld();
  const GenerateSecretString = { PasswordLength: 4, IncludeSpace: true };
  await makeResource(world, 'AWS::SecretsManager::Secret', { Name: 's', GenerateSecretString });

  expect((await aws.secretsmanager.send(new GetSecretValueCommand({ SecretId: 's' }))).SecretString).toHaveLength(4);
  expect((await aws.secretsmanager.send(new DescribeSecretCommand({ SecretId: 's' }))).Tags).toBeUndefined();
});

it('AttachRolePolicy refuses what is no ARN of a policy as InvalidInput', async () => {
  const { aws } = testWorld();
  const Statement = [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }];
  const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
  await aws.iam.send(new CreateRoleCommand({ RoleName: 'r', AssumeRolePolicyDocument }));

  await expect(
    aws.iam.send(new AttachRolePolicyCommand({ RoleName: 'r', PolicyArn: 'arn:aws:iam::x:policy/none' })),
  ).rejects.toMatchObject({ message: 'ARN arn:aws:iam::x:policy/none is not valid.' });
});

it('ExecutePolicy of an unknown policy without a group does not name a group in its message', async () => {
  const { aws } = testWorld();

  await expect(aws.autoscaling.send(new ExecutePolicyCommand({ PolicyName: 'p' }))).rejects.toThrow(
    /^Policy p not found$/,
  );
});

it('S3 has its own words for expired credentials', () => {
  expect(expiredCredentials('s3')).toMatchObject({ code: 'ExpiredToken', message: 'The provided token has expired.' });
});
