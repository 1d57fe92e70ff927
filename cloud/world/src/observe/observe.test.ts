import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { VirtualClock } from '@drover/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Clients, clients } from '../clients.ts';
import { World } from '../world.ts';

let clock: VirtualClock;
let world: World;
let aws: Clients;

beforeEach(() => {
  clock = new VirtualClock();
  world = new World({ clock, seed: 'observe' });
  aws = clients(world);
});

const root = () => ({ credentials: world.rootCredentials });

async function createGroup(): Promise<void> {
  const data = { ImageId: 'ami-0a10000000000a201', InstanceType: 't3.medium' };
  await world.aws.call(
    'ec2',
    'CreateLaunchTemplate',
    { LaunchTemplateName: 'template', LaunchTemplateData: data },
    root(),
  );
  const hook = {
    LifecycleHookName: 'launching',
    LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING',
    HeartbeatTimeout: 600,
  };
  const group = {
    AutoScalingGroupName: 'g',
    MinSize: 0,
    MaxSize: 3,
    DesiredCapacity: 1,
    AvailabilityZones: [...world.aws.zones],
    LaunchTemplate: { LaunchTemplateName: 'template', Version: '$Latest' },
    LifecycleHookSpecificationList: [hook],
  };
  await world.aws.call('autoscaling', 'CreateAutoScalingGroup', group, root());
}

describe('world.observe', () => {
  it('shows a group, its members with their open hooks, and their instances', async () => {
    const states: string[] = [];
    world.observe.onInstanceState(({ state }) => states.push(state));
    await createGroup();
    await clock.runUntil(() => world.observe.members()[0]?.state === 'Pending:Wait', 600_000);
    const [member] = world.observe.members();
    const { instanceId } = member!;

    expect(world.observe.group('g')).toMatchObject({ minSize: 0, maxSize: 3, desiredCapacity: 1 });
    expect([...world.observe.group('g')!.members.keys()]).toEqual([instanceId]);
    expect(world.observe.member(instanceId)).toMatchObject({ healthy: true, protectedFromScaleIn: false, spot: false });
    expect(world.observe.openHooks(instanceId)).toEqual([{ name: 'launching', expiresAt: expect.any(Number) }]);
    expect(world.observe.targetLifecycleState(instanceId)).toBe('InService');
    expect(world.observe.instance(instanceId)).toMatchObject({ state: 'running', instanceType: 't3.medium' });
    expect(states).toContain('running');
  });

  it('returns undefined for what does not exist', () => {
    const { observe } = world;
    expect([
      observe.group('none'),
      observe.member('i-0'),
      observe.instance('i-0'),
      observe.newestRefresh('none'),
    ]).toEqual([undefined, undefined, undefined, undefined]);
    expect(observe.openHooks('i-0')).toEqual([]);
  });

  it('shows the progress of an instance refresh while it goes on', async () => {
    await createGroup();
    await clock.runUntil(() => world.observe.members()[0]?.state === 'Pending:Wait', 600_000);
    await clock.advance(601_000);
    await world.aws.call('autoscaling', 'StartInstanceRefresh', { AutoScalingGroupName: 'g' }, root());
    const refresh = world.observe.newestRefresh('g')!;
    const before = [refresh.status, refresh.endTime];
    await world.aws.call('autoscaling', 'CancelInstanceRefresh', { AutoScalingGroupName: 'g' }, root());

    expect(before).toEqual(['Pending', undefined]);
    expect(refresh.status).toMatch(/^Cancel/);
    expect(refresh.percentageComplete).toBeGreaterThanOrEqual(0);
  });

  it('reads secrets, objects and log lines', async () => {
    await aws.secretsmanager.send(new CreateSecretCommand({ Name: 's', SecretString: 'value' }));
    await aws.s3.send(new CreateBucketCommand({ Bucket: 'bucket-of-tests' }));
    world.operate.putObject('bucket-of-tests', 'key', Buffer.from('body'));
    await world.aws.resources['AWS::Logs::LogGroup']!.create({ properties: { LogGroupName: 'group' } } as never);
    world.operate.appendLog('group', 'stream', 'line');

    expect(world.observe.secretValue('s')).toBe('value');
    expect(Buffer.from(world.observe.object('bucket-of-tests', 'key')!).toString()).toBe('body');
    expect(world.observe.logLines('group')).toEqual(['line']);
    const since = (ms: number) => world.observe.logEventsSince('group', ms).map(({ message }) => message);
    expect([since(clock.now()), since(clock.now() + 1)]).toEqual([['line'], []]);
    world.operate.deleteObject('bucket-of-tests', 'key');
    expect(world.observe.object('bucket-of-tests', 'key')).toBeUndefined();
  });

  it('reports every permission that a role asks for, allowed or refused', async () => {
    const trust = { Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' };
    const may = { Effect: 'Allow', Action: 'autoscaling:DescribeAutoScalingGroups', Resource: '*' };
    const document = (statement: object) => JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
    await world.aws.call('iam', 'CreateRole', { RoleName: 'r', AssumeRolePolicyDocument: document(trust) }, root());
    const policy = { RoleName: 'r', PolicyName: 'p', PolicyDocument: document(may) };
    await world.aws.call('iam', 'PutRolePolicy', policy, root());
    const roleArn = `arn:aws:iam::${world.aws.accountId}:role/r`;
    const credentials = world.operate.assumeRole(roleArn, 'ec2.amazonaws.com', 'session');
    const asked: unknown[] = [];
    world.observe.onAuthorization((question) => asked.push(question));
    await world.aws.call('autoscaling', 'DescribeAutoScalingGroups', {}, { credentials });
    await world.aws.call('secretsmanager', 'ListSecrets', {}, { credentials }).catch(() => {});

    expect(asked).toEqual([
      { roleArn, action: 'autoscaling:DescribeAutoScalingGroups', refusal: undefined },
      { roleArn, action: 'secretsmanager:ListSecrets', refusal: expect.stringContaining('is not authorized') },
    ]);
  });
});
