import {
  CreateLaunchTemplateCommand,
  CreateLaunchTemplateVersionCommand,
  CreateTagsCommand,
  DeleteLaunchTemplateCommand,
  DeleteLaunchTemplateVersionsCommand,
  DeleteTagsCommand,
  DescribeImagesCommand,
  DescribeInstanceStatusCommand,
  DescribeInstancesCommand,
  DescribeInstanceTypesCommand,
  DescribeLaunchTemplatesCommand,
  DescribeLaunchTemplateVersionsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeTagsCommand,
  DescribeVpcsCommand,
  type Filter,
  ModifyLaunchTemplateCommand,
  StartInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { clients, World } from '@drover/cloud-world';
import type { VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';

const minuteMs = 60_000;
const image = 'ami-0a10000000000a201';

function stage() {
  const world = new World();
  const clock = world.engine.clock as VirtualClock;
  const { ec2 } = clients(world, undefined, { fast: true, maxAttempts: 1 });
  const [subnet] = [...world.aws.ec2.network.subnets.values()];
  const template = async (data: object = {}, name = 'template') =>
    (
      await ec2.send(
        new CreateLaunchTemplateCommand({
          LaunchTemplateName: name,
          LaunchTemplateData: { ImageId: image, InstanceType: 't3a.medium', ...data },
        }),
      )
    ).LaunchTemplate!;
  const launch = (tags: Record<string, string> = {}, more: object = {}) =>
    world.aws.ec2.launch({
      launchTemplate: { name: 'template', version: '$Latest' },
      subnetId: subnet!.id,
      tags,
      ...more,
    });
  const find = async (Filters: Filter[], more: object = {}) =>
    (await ec2.send(new DescribeInstancesCommand({ Filters, ...more }))).Reservations!.flatMap((r) => r.Instances!);
  const state = async (id: string) => (await find([], { InstanceIds: [id] }))[0]!.State!.Name;
  return { world, clock, ec2, template, launch, find, state, subnet: subnet! };
}

describe('instances', () => {
  it('run after a while, stop and start again, and stay visible for an hour after their end', async () => {
    const { clock, ec2, template, launch, state, find } = stage();
    await template();
    const { id } = launch();
    expect(await state(id)).toBe('pending');
    await clock.advance(minuteMs);
    expect(await state(id)).toBe('running');

    const stopping = await ec2.send(new StopInstancesCommand({ InstanceIds: [id] }));
    expect(stopping.StoppingInstances).toMatchObject([
      { PreviousState: { Name: 'running', Code: 16 }, CurrentState: { Name: 'stopping', Code: 64 } },
    ]);
    await expect(ec2.send(new StartInstancesCommand({ InstanceIds: [id] }))).rejects.toMatchObject({
      name: 'IncorrectInstanceState',
    });
    await clock.advance(minuteMs);
    expect(await state(id)).toBe('stopped');
    await ec2.send(new StartInstancesCommand({ InstanceIds: [id] }));
    await clock.advance(minuteMs);
    expect(await state(id)).toBe('running');

    await ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    expect(await state(id)).toBe('shutting-down');
    await clock.advance(50 * minuteMs);
    expect((await find([]))[0]).toMatchObject({ State: { Name: 'terminated' }, PrivateDnsName: '' });
    await clock.advance(15 * minuteMs);
    expect(await find([])).toEqual([]);
    await expect(state(id)).rejects.toMatchObject({
      name: 'InvalidInstanceID.NotFound',
      message: `The instance ID '${id}' does not exist`,
    });
  });

  it('are found by state, tag, address and wildcard, all filters together', async () => {
    const { clock, template, launch, find } = stage();
    await template();
    const [one, two] = [launch({ cluster: 'search-a', role: 'data' }), launch({ cluster: 'search-b' })];
    await clock.advance(minuteMs);
    const ids = async (...filters: [string, ...string[]][]) =>
      (await find(filters.map(([Name, ...Values]) => ({ Name, Values })))).map((instance) => instance.InstanceId);

    expect(await ids(['tag:cluster', 'search-a', 'other'])).toEqual([one.id]);
    expect(await ids(['tag:cluster', 'search-*'])).toEqual([one.id, two.id]);
    expect(await ids(['tag:cluster', 'search-?'], ['tag-key', 'role'])).toEqual([one.id]);
    expect(await ids(['private-ip-address', two.privateIp])).toEqual([two.id]);
    expect(await ids(['instance-state-name', 'pending', 'stopped'])).toEqual([]);
    expect(await ids(['instance-id', one.id], ['instance-state-name', 'running'])).toEqual([one.id]);
    await expect(ids(['colour', 'red'])).rejects.toThrow("The filter 'colour' is invalid");
  });

  it('come in pages', async () => {
    const { template, launch, ec2 } = stage();
    await template();
    for (let i = 0; i < 7; i++) launch();

    const seen: string[] = [];
    let NextToken: string | undefined;
    do {
      const page = await ec2.send(new DescribeInstancesCommand({ MaxResults: 3, NextToken }));
      seen.push(...page.Reservations!.flatMap((r) => r.Instances!.map((i) => i.InstanceId!)));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    expect(new Set(seen).size).toBe(7);
  });

  it('hibernate only if they were launched to, from an encrypted volume that holds their memory', async () => {
    const { clock, ec2, template, launch } = stage();
    await template();
    const { id } = launch();
    await clock.advance(5 * minuteMs);
    await expect(ec2.send(new StopInstancesCommand({ InstanceIds: [id], Hibernate: true }))).rejects.toMatchObject({
      name: 'UnsupportedHibernationConfiguration',
    });

    const HibernationOptions = { Configured: true };
    const root = (Ebs: object) => ({ HibernationOptions, BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs }] });
    for (const [name, data] of Object.entries({
      plain: root({ VolumeSize: 30 }),
      small: { ...root({ VolumeSize: 16, Encrypted: true }), InstanceType: 't3a.xlarge' },
    })) {
      await template(data, name);
      expect(() => launch({}, { launchTemplate: { name, version: '1' } })).toThrow(
        'Unsupported hibernation configuration',
      );
    }
  });

  it('show their status checks', async () => {
    const { clock, ec2, template, launch, world } = stage();
    await template();
    const { id } = launch();
    const status = async () => (await ec2.send(new DescribeInstanceStatusCommand({}))).InstanceStatuses;

    expect(await status()).toEqual([]);
    await clock.advance(minuteMs);
    expect(await status()).toMatchObject([{ InstanceId: id, InstanceStatus: { Status: 'initializing' } }]);
    await clock.advance(3 * minuteMs);
    expect(await status()).toMatchObject([{ InstanceStatus: { Status: 'ok' } }]);
    world.aws.ec2.setImpaired(id, true);
    expect(await status()).toMatchObject([{ InstanceStatus: { Status: 'impaired' }, SystemStatus: { Status: 'ok' } }]);
  });

  it('need an image of their architecture', async () => {
    const { template, launch } = stage();
    await template({ InstanceType: 't4g.medium' });
    expect(() => launch()).toThrow("does not match the architecture 'x86_64'");
    await template({ ImageId: 'ami-00000000000000000' }, 'missing');
    expect(() => launch({}, { launchTemplate: { name: 'missing', version: '1' } })).toThrow('does not exist');
    await template(
      { ImageId: 'resolve:ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64' },
      'parameter',
    );
    expect(launch({}, { launchTemplate: { name: 'parameter', version: '1' } }).imageId).toBe(image);
  });
});

describe('tags', () => {
  it('are created, described and deleted on any resource; a value given must match', async () => {
    const { ec2, template, launch } = stage();
    const { LaunchTemplateId } = await template();
    const { id } = launch();
    const Resources = [id, LaunchTemplateId!];

    await ec2.send(new CreateTagsCommand({ Resources, Tags: [{ Key: 'a', Value: '1' }] }));
    const tags = async () =>
      (await ec2.send(new DescribeTagsCommand({ Filters: [{ Name: 'key', Values: ['a'] }] }))).Tags!.map(
        (tag) => `${tag.ResourceType} ${tag.Value}`,
      );
    expect((await tags()).sort()).toEqual(['instance 1', 'launch-template 1']);
    await ec2.send(new DeleteTagsCommand({ Resources: [id], Tags: [{ Key: 'a', Value: 'other' }] }));
    expect(await tags()).toHaveLength(2);
    await ec2.send(new DeleteTagsCommand({ Resources: [id], Tags: [{ Key: 'a' }] }));
    expect(await tags()).toEqual(['launch-template 1']);
  });

  it('of AWS itself cannot be set, and the instance must exist', async () => {
    const { ec2, template, launch } = stage();
    await template();
    const { id } = launch();
    const tag = (resource: string, Key: string) =>
      ec2.send(new CreateTagsCommand({ Resources: [resource], Tags: [{ Key, Value: '' }] }));

    await expect(tag(id, 'aws:x')).rejects.toMatchObject({ name: 'InvalidParameterValue' });
    await expect(tag('i-0123456789abcdef0', 'x')).rejects.toMatchObject({ name: 'InvalidInstanceID.NotFound' });
  });
});

describe('launch templates', () => {
  it('have versions of which the default changes only when told to', async () => {
    const { ec2, template, world } = stage();
    const { LaunchTemplateId } = await template();
    const version = async (InstanceType: 't3a.large' | 't3a.xlarge') =>
      await ec2.send(
        new CreateLaunchTemplateVersionCommand({
          LaunchTemplateId,
          SourceVersion: '1',
          LaunchTemplateData: { InstanceType },
        }),
      );
    await version('t3a.large');
    await version('t3a.xlarge');
    const resolve = (which: string) => world.aws.ec2.resolveLaunchTemplateVersion(LaunchTemplateId!, which);

    expect([resolve('$Default'), resolve('$Latest'), resolve('2')]).toEqual(['1', '3', '2']);
    await ec2.send(new ModifyLaunchTemplateCommand({ LaunchTemplateId, DefaultVersion: '2' }));
    const described = await ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: ['template'] }));
    expect(described.LaunchTemplates).toMatchObject([{ DefaultVersionNumber: 2, LatestVersionNumber: 3 }]);
    const versions = await ec2.send(new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId }));
    expect(versions.LaunchTemplateVersions?.map((v) => v.LaunchTemplateData?.InstanceType)).toEqual([
      't3a.xlarge',
      't3a.large',
      't3a.medium',
    ]);
    expect(versions.LaunchTemplateVersions?.[0]?.LaunchTemplateData?.ImageId).toBe(image);

    const removed = await ec2.send(new DeleteLaunchTemplateVersionsCommand({ LaunchTemplateId, Versions: ['1', '2'] }));
    expect(removed.SuccessfullyDeletedLaunchTemplateVersions).toHaveLength(1);
    expect(removed.UnsuccessfullyDeletedLaunchTemplateVersions).toHaveLength(1);
    await ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId }));
    await expect(ec2.send(new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId }))).rejects.toMatchObject({
      name: 'InvalidLaunchTemplateId.NotFound',
    });
  });

  it('refuse a name twice, user data over 16 KB, and network interfaces beside security groups', async () => {
    const { template } = stage();
    await template();
    await expect(template()).rejects.toMatchObject({ name: 'InvalidLaunchTemplateName.AlreadyExistsException' });
    const UserData = Buffer.alloc(16_385, 'x').toString('base64');
    await expect(template({ UserData }, 'long')).rejects.toThrow('limited to 16384 bytes');
    const both = { SecurityGroupIds: ['sg-1'], NetworkInterfaces: [{ DeviceIndex: 0 }] };
    await expect(template(both, 'both')).rejects.toMatchObject({ name: 'InvalidParameterCombination' });
  });
});

describe('networks and catalogue', () => {
  it('a default VPC with one public subnet per zone exists', async () => {
    const { ec2, world, subnet } = stage();
    const vpcs = await ec2.send(new DescribeVpcsCommand({ Filters: [{ Name: 'is-default', Values: ['true'] }] }));
    const { Subnets } = await ec2.send(
      new DescribeSubnetsCommand({ Filters: [{ Name: 'vpc-id', Values: [vpcs.Vpcs![0]!.VpcId!] }] }),
    );
    expect(Subnets?.map((one) => one.AvailabilityZone)).toEqual(['eu-west-1a', 'eu-west-1b', 'eu-west-1c']);
    expect(world.aws.ec2.hasInternetRoute(subnet.id)).toBe(true);
    expect(world.aws.ec2.hasInternetRoute(subnet.id, { publicAddress: false })).toBe(false);
    const groups = await ec2.send(new DescribeSecurityGroupsCommand({ GroupNames: ['default'] }));
    expect(groups.SecurityGroups).toMatchObject([{ IpPermissionsEgress: [{ IpRanges: [{ CidrIp: '0.0.0.0/0' }] }] }]);
    await expect(ec2.send(new DescribeSubnetsCommand({ SubnetIds: ['subnet-1'] }))).rejects.toMatchObject({
      name: 'InvalidSubnetID.NotFound',
    });
  });

  it('knows images and instance types, by architecture and hibernation', async () => {
    const { ec2 } = stage();
    const images = await ec2.send(
      new DescribeImagesCommand({
        Owners: ['amazon'],
        Filters: [{ Name: 'architecture', Values: ['arm64'] }],
      }),
    );
    expect(images.Images).toMatchObject([
      { Name: expect.stringMatching(/^al2023-ami-.*arm64$/), RootDeviceName: '/dev/xvda' },
    ]);
    const types = await ec2.send(new DescribeInstanceTypesCommand({ InstanceTypes: ['t3a.medium', 'm6i.12xlarge'] }));
    const seen = types.InstanceTypes?.map((type) => [type.MemoryInfo?.SizeInMiB, type.HibernationSupported]);
    expect(seen).toEqual(
      expect.arrayContaining([
        [4096, true],
        [196_608, false],
      ]),
    );
    const unknown = { InstanceTypes: ['t99.huge' as never] };
    await expect(ec2.send(new DescribeInstanceTypesCommand(unknown))).rejects.toMatchObject({
      name: 'InvalidInstanceType',
    });
  });
});
