import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { CloudFormationClient, CreateChangeSetCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { CreateLaunchTemplateCommand, EC2Client } from '@aws-sdk/client-ec2';
import { CreateRoleCommand, IAMClient, paginateListRoles } from '@aws-sdk/client-iam';
import { DescribeInstanceInformationCommand, SendCommandCommand, SSMClient } from '@aws-sdk/client-ssm';
import { World } from '@drover/cloud-world';
import { describe, expect, it } from 'vitest';
import withoutEffect from '../../test/members/without-effect.json' with { type: 'json' };
import { inProcessClientConfig } from '../wire/client-config.ts';
import { members, serviceModel } from '../wire/schema/service-model.ts';
import { awsEndpoint } from '../wire/wire.ts';
import { inputMembers } from './modelled.ts';
import { serviceIds } from './service.ts';

const source = (folder: string) => fileURLToPath(new URL(folder, import.meta.url));
const folders: Partial<Record<(typeof serviceIds)[number], string>> = {
  cloudformation: '../cloudformation',
  elasticloadbalancing: '../services/elbv2',
  iam: '../iam',
  monitoring: '../services/cloudwatch',
};
function wordsOf(service: (typeof serviceIds)[number]): ReadonlySet<string> {
  const folder = source(folders[service] ?? `../services/${service}`);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.includes('.test'),
  );
  return new Set(files.flatMap((name) => readFileSync(join(folder, name), 'utf8').match(/\w+/g) ?? []));
}

describe('members of inputs', () => {
  it.each(serviceIds)(
    'every modelled operation of %s declares members, all of its SDK, each read by its code',
    (id) => {
      const words = wordsOf(id);
      const { operations } = new World().aws.services[id];
      expect(Object.keys(inputMembers[id]).sort()).toEqual(Object.keys(operations).sort());
      for (const [operation, declared] of Object.entries(inputMembers[id])) {
        const known = members(serviceModel(id).operations.get(operation)!.input).map(([name]) => name);
        expect(
          declared.filter((name) => !known.includes(name)),
          `${operation} has no such member`,
        ).toEqual([]);
        const reasoned = (name: string) => `${id}:${operation} ${name}` in withoutEffect;
        expect(
          declared.filter((name) => !words.has(name) && !reasoned(name)),
          `${operation} does not read`,
        ).toEqual([]);
      }
    },
  );

  const config = (world: World) => inProcessClientConfig(world, world.aws.iam.rootCredentials);

  it.each([
    [
      'CloudWatchOutputConfig',
      new SendCommandCommand({ DocumentName: 'AWS-RunShellScript', CloudWatchOutputConfig: {} }),
    ],
    ['DocumentVersion', new SendCommandCommand({ DocumentName: 'AWS-RunShellScript', DocumentVersion: '2' })],
    ['MaxErrors', new SendCommandCommand({ DocumentName: 'AWS-RunShellScript', MaxErrors: '10%' })],
  ] as const)('a member that no code reads is refused by its name: %s', async (member, command) => {
    const client = new SSMClient(config(new World()));

    await expect(client.send(command as SendCommandCommand)).rejects.toMatchObject({
      name: 'NotImplemented',
      message: expect.stringContaining(`the embedded cloud does not model the parameter ${member} of ssm:`),
    });
  });

  it('a parameter that an operation of EC2 does not have is refused as EC2 does', async () => {
    const world = new World();
    const { accessKeyId } = world.aws.iam.rootCredentials;
    const response = await awsEndpoint(world)({
      method: 'POST',
      host: 'ec2.eu-west-1.amazonaws.com',
      path: '/',
      query: '',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260101/${world.aws.region}/ec2/aws4_request, SignedHeaders=host, Signature=0`,
      },
      body: new TextEncoder().encode('Action=DescribeInstances&Version=2016-11-15&Nonsense.1=x'),
    });

    expect(response.status).toBe(400);
    expect(String(response.body)).toContain('<Code>UnknownParameter</Code>');
  });

  it('roles are listed in pages of MaxItems', async () => {
    const client = new IAMClient(config(new World()));
    const AssumeRolePolicyDocument = JSON.stringify({
      Statement: [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }],
    });
    for (const RoleName of ['a', 'b', 'c'])
      await client.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }));

    const pages: number[] = [];
    for await (const { Roles } of paginateListRoles({ client, pageSize: 2 }, {})) pages.push(Roles!.length);

    expect(pages).toEqual([2, 1]);
  });

  it('a launch template that is asked for again with the same token is the one that was made', async () => {
    const client = new EC2Client(config(new World()));
    const create = (LaunchTemplateName: string) =>
      client.send(
        new CreateLaunchTemplateCommand({
          LaunchTemplateName,
          LaunchTemplateData: { ImageId: 'ami-1' },
          ClientToken: 't',
        }),
      );

    const first = await create('one');

    expect((await create('one')).LaunchTemplate?.LaunchTemplateId).toBe(first.LaunchTemplate?.LaunchTemplateId);
    await expect(create('two')).rejects.toMatchObject({ name: 'IdempotentParameterMismatch' });
  });

  it('members that exclude each other are refused together', async () => {
    const world = new World();
    const alarms = { AlarmNames: ['a'], AlarmNamePrefix: 'a' };
    const groups = { logGroupNamePrefix: 'a', logGroupNamePattern: 'b' };
    const body = JSON.stringify({ Resources: { Topic: { Type: 'AWS::SNS::Topic' } } });
    const change = { StackName: 's', ChangeSetName: 'c', TemplateBody: body };
    const stacks = new CloudFormationClient(config(world));

    await expect(new CloudWatchClient(config(world)).send(new DescribeAlarmsCommand(alarms))).rejects.toThrow(
      'together',
    );
    await expect(new CloudWatchLogsClient(config(world)).send(new DescribeLogGroupsCommand(groups))).rejects.toThrow(
      'mutually exclusive',
    );
    await expect(
      stacks.send(new CreateChangeSetCommand({ ...change, ChangeSetType: 'CREATE', UsePreviousTemplate: true })),
    ).rejects.toThrow('usePreviousTemplate');
  });

  it('filters that do not exist are refused in an empty account too', async () => {
    const world = new World();
    const Filters = [{ Name: 'nonsense', Values: ['x'] }];

    await expect(
      new AutoScalingClient(config(world)).send(new DescribeAutoScalingGroupsCommand({ Filters })),
    ).rejects.toThrow('Filter type nonsense is not correct');
    await expect(
      new SSMClient(config(world)).send(
        new DescribeInstanceInformationCommand({ Filters: [{ Key: 'nonsense', Values: ['x'] }] }),
      ),
    ).rejects.toThrow('the filter nonsense');
  });
});
