import { inProcessClientConfig } from '@drover/cloud-aws';
import { World } from '@drover/cloud-world';
import { VirtualClock } from '@drover/core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ClusterAws } from './calls/calls.ts';
import { lazySdkAws } from './calls/lazy-sdk.ts';
import { awsRoles } from './cluster-roles.ts';
import { masterInstances } from './master-instances.ts';
import { secretVersions } from './secret-versions.ts';
import { stateObjects } from './stored-objects.ts';

const minute = 60_000;
let world: World;
let clock: VirtualClock;
let aws: ClusterAws;
let instanceId: string;

const call = (service: Parameters<World['aws']['call']>[0], operation: string, input: object) =>
  world.aws.call(service, operation, input, { credentials: world.rootCredentials });
const stateOf = (id: string) => world.observe.member(id)?.state;
const hook = (name: string, transition: string) => ({
  LifecycleHookName: name,
  LifecycleTransition: `autoscaling:EC2_INSTANCE_${transition}`,
  HeartbeatTimeout: 600,
  DefaultResult: 'ABANDON',
});

/** A group of one whose instance is in service, seen through the SDK's own clients. */
beforeEach(async () => {
  clock = new VirtualClock();
  world = new World({ clock, seed: 1 });
  aws = lazySdkAws({
    region: async () => undefined,
    config: inProcessClientConfig(world, world.rootCredentials),
  });
  await call('ec2', 'CreateLaunchTemplate', {
    LaunchTemplateName: 'node',
    LaunchTemplateData: { ImageId: 'ami-0a10000000000c241', InstanceType: 't3a.medium' },
  });
  await call('autoscaling', 'CreateAutoScalingGroup', {
    AutoScalingGroupName: 'search-data',
    MinSize: 0,
    MaxSize: 2,
    DesiredCapacity: 1,
    AvailabilityZones: [...world.aws.zones],
    LaunchTemplate: { LaunchTemplateName: 'node', Version: '$Latest' },
    LifecycleHookSpecificationList: [hook('terminating', 'TERMINATING')],
    InstanceLifecyclePolicy: { RetentionTriggers: { TerminateHookAbandon: 'retain' } },
  });
  await clock.runUntil(() => world.observe.members().some(({ state }) => state === 'InService'), 30 * minute);
  instanceId = world.observe.members()[0]!.instanceId;
});

async function terminate(): Promise<void> {
  await call('autoscaling', 'TerminateInstanceInAutoScalingGroup', {
    InstanceId: instanceId,
    ShouldDecrementDesiredCapacity: true,
  });
  await clock.runUntil(() => stateOf(instanceId) === 'Terminating:Wait', 30 * minute);
}

describe('the group', () => {
  it('groupMembership returns the lifecycle state of a member, and undefined for an instance of no group', async () => {
    const { membership } = awsRoles(aws);

    expect(await membership.memberOf(instanceId)).toEqual({
      instanceId,
      groupName: 'search-data',
      lifecycleState: 'InService',
    });
    expect(await membership.memberOf('i-00000000000000000')).toBeUndefined();
  });

  it('groupInstances lists instances with address and tags; a group that does not exist has none', async () => {
    const { instances, tags } = awsRoles(aws);
    await tags.set(instanceId, { 'drover:drain': 'stalled' });

    const [instance] = await instances.ofGroups(['search-data', 'no-such-group']);

    expect(instance).toMatchObject({
      instanceId,
      privateIp: world.observe.instance(instanceId)!.privateIp,
      tags: { 'drover:drain': 'stalled' },
    });
  });

  it('groupInstances says that EC2 has terminated an instance, whose group still waits for its hook', async () => {
    await call('ec2', 'TerminateInstances', { InstanceIds: [instanceId] });
    await clock.runUntil(() => stateOf(instanceId) === 'Terminating:Wait', 30 * minute);

    const found = await awsRoles(aws).instances.ofGroups(['search-data']);

    const gone = { lifecycleState: 'Terminating:Wait', terminated: true, privateIp: undefined };
    expect(found.find((one) => one.instanceId === instanceId)).toMatchObject(gone);
  });

  it('instanceTags cuts a value to the 256 characters that EC2 takes', async () => {
    const { instances, tags } = awsRoles(aws);

    await tags.set(instanceId, { 'drover:drain': 'x'.repeat(300) });

    const [instance] = await instances.ofGroups(['search-data']);
    expect(instance?.tags['drover:drain']).toBe('x'.repeat(256));
  });
});

describe('the hook', () => {
  it('[rule 2] lifecycleHook returns the timeouts of the hook and the start of the activity', async () => {
    const before = clock.now();
    await terminate();
    const { hook: hooks, membership } = awsRoles(aws);

    const facts = await hooks.describe((await membership.memberOf(instanceId))!, 'terminating');

    expect(facts).toMatchObject({ name: 'terminating', heartbeatTimeoutMs: 600_000, globalTimeoutMs: 60_000_000 });
    expect(facts.startedAt).toBeGreaterThanOrEqual(before);
    expect(facts.startedAt).toBeLessThanOrEqual(clock.now());
  });

  it('lifecycleHook names the hooks of the group when another one is asked for', async () => {
    await terminate();
    const { hook: hooks, membership } = awsRoles(aws);

    await expect(hooks.describe((await membership.memberOf(instanceId))!, 'nope')).rejects.toThrow(
      'no lifecycle hook nope (it has terminating)',
    );
  });

  it('lifecycleHook keeps a hook open, completes it once, and says when the instance waits no longer', async () => {
    await terminate();
    const { hook: hooks, membership } = awsRoles(aws);
    const member = (await membership.memberOf(instanceId))!;
    await clock.advance(9 * minute);
    expect(await hooks.heartbeat(member, 'terminating')).toBe('accepted');
    await clock.advance(9 * minute);
    expect(stateOf(instanceId)).toBe('Terminating:Wait');

    expect(await hooks.complete(member, 'terminating', 'CONTINUE')).toBe('accepted');
    await clock.advance(10 * minute);
    expect(await hooks.complete(member, 'terminating', 'CONTINUE')).toBe('not-waiting');
    expect(await hooks.heartbeat(member, 'terminating')).toBe('not-waiting');
  });

  it('[rule 1] an instance is retained on ABANDON, until it is released', async () => {
    await terminate();
    const { hook: hooks, membership, retained, instances } = awsRoles(aws);
    await hooks.complete((await membership.memberOf(instanceId))!, 'terminating', 'ABANDON');
    await clock.advance(10 * minute);
    expect((await membership.memberOf(instanceId))?.lifecycleState).toBe('Terminating:Retained');

    await retained.release(instanceId);
    await clock.advance(30 * minute);

    expect(await membership.memberOf(instanceId)).toBeUndefined();
    expect(await instances.lastTerminationAt(['search-data'])).toBeLessThanOrEqual(clock.now());
  });
});

describe('the refresh', () => {
  it('[rule 8] instanceRefresh cancels a refresh, or says that there is none', async () => {
    const { refresh } = awsRoles(aws);
    expect(await refresh.cancel('search-data')).toBe('none-active');
    await call('autoscaling', 'StartInstanceRefresh', { AutoScalingGroupName: 'search-data' });

    expect(await refresh.cancel('search-data')).toBe('cancelled');
  });
});

describe('errors', () => {
  it('errors of AWS name the call, the error code and what to do', async () => {
    await call('iam', 'CreateUser', { UserName: 'nobody' });
    const { AccessKey } = (await call('iam', 'CreateAccessKey', { UserName: 'nobody' })) as {
      AccessKey: { AccessKeyId: string; SecretAccessKey: string };
    };
    const credentials = { accessKeyId: AccessKey.AccessKeyId, secretAccessKey: AccessKey.SecretAccessKey };
    const poor = awsRoles(
      lazySdkAws({ region: async () => undefined, config: inProcessClientConfig(world, credentials) }),
    );

    await expect(poor.membership.memberOf(instanceId)).rejects.toMatchObject({
      message: expect.stringContaining('autoscaling:DescribeAutoScalingInstances: AWS says AccessDenied'),
      remedy: "allow autoscaling:DescribeAutoScalingInstances in the role's policy",
    });
  });
});

describe('versions of a secret', () => {
  it('[rule 14] secretVersions moves nothing when a pending version is stored, and everything when it is promoted', async () => {
    await call('secretsmanager', 'CreateSecret', { Name: 's', SecretString: 'old' });
    const secrets = secretVersions(aws);
    expect(await secrets.read('s', 'AWSPENDING')).toBeUndefined();

    await secrets.putPending('s', 'new');
    const [current, pending] = [await secrets.read('s', 'AWSCURRENT'), await secrets.read('s', 'AWSPENDING')];
    expect([current?.value, pending?.value]).toEqual(['old', 'new']);

    await secrets.promote('s', pending!, current);
    expect((await secrets.read('s', 'AWSCURRENT'))?.value).toBe('new');
    expect(await secrets.read('s', 'AWSPENDING')).toBeUndefined();
  });

  it('secretVersions fails when the secret itself does not exist', async () => {
    await expect(secretVersions(aws).read('no-such-secret', 'AWSCURRENT')).rejects.toThrow(
      'secretsmanager:GetSecretValue',
    );
  });

  it('secretVersions stores the first value of an empty secret, which is current at once, and takes AWSPENDING off it', async () => {
    await call('secretsmanager', 'CreateSecret', { Name: 'empty' });
    const secrets = secretVersions(aws);

    await secrets.putPending('empty', 'first');
    const [current, pending] = [await secrets.read('empty', 'AWSCURRENT'), await secrets.read('empty', 'AWSPENDING')];
    expect(current).toEqual(pending);
    await secrets.promote('empty', pending!, current);

    expect((await secrets.read('empty', 'AWSCURRENT'))?.value).toBe('first');
    expect(await secrets.read('empty', 'AWSPENDING')).toBeUndefined();
  });
});

describe('objects that are created once', () => {
  beforeEach(async () => {
    await call('s3', 'CreateBucket', { Bucket: 'state' });
  });

  it('stateObjects let one of many create, and all read what it wrote', async () => {
    const state = stateObjects(aws, 'state');
    expect(await state.read('formed')).toBeUndefined();

    const created = await Promise.all(['one', 'two', 'three'].map((text) => state.create('formed', text)));

    expect(created.filter(Boolean)).toHaveLength(1);
    expect(await state.read('formed')).toBe(['one', 'two', 'three'][created.indexOf(true)]);
    expect(world.observe.object('state', 'formed.json')).toBeDefined();
  });

  it('stateObjects fail with the call and the code where the bucket is missing', async () => {
    await expect(stateObjects(aws, 'no-such-bucket').read('formed')).rejects.toThrow(
      's3:GetObject: AWS says NoSuchBucket',
    );
  });
});

describe('the masters of a cluster', () => {
  it('masterInstances finds masters by tags and group, without those that are leaving', async () => {
    const tags = { clusterName: 'search-data', environment: 'test', resourceName: 'search-data' };
    expect(await masterInstances(aws, tags).visible()).toEqual([]);
    const Tags = [
      { Key: 'cluster', Value: 'search-data' },
      { Key: 'environment', Value: 'test' },
    ];
    await call('ec2', 'CreateTags', { Resources: [instanceId], Tags });

    const { privateDnsName } = world.observe.instance(instanceId)!;
    expect(await masterInstances(aws, tags).visible()).toEqual([
      { instanceId, hostName: privateDnsName.split('.')[0] },
    ]);

    await terminate();
    expect(await masterInstances(aws, tags).visible()).toEqual([]);
  });
});
