import {
  CreateLaunchTemplateCommand,
  CreateLaunchTemplateVersionCommand,
  CreateTagsCommand,
  DeleteLaunchTemplateCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplatesCommand,
  DescribeSubnetsCommand,
  DescribeTagsCommand,
  type Filter,
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
  it('an instance that was stopped and started again has a new LaunchTime and shows no reason of its stop', async () => {
    const { world, clock, template, launch, find } = stage();
    await template();
    const { id, launchedAt } = launch();
    await clock.advance(minuteMs);
    world.aws.ec2.stop(id, { hibernate: false });
    await clock.advance(minuteMs);
    world.aws.ec2.start(id);
    await clock.advance(minuteMs);

    const [instance] = await find([], { InstanceIds: [id] });
    expect(instance!.LaunchTime!.getTime()).toBe(launchedAt + 2 * minuteMs);
    expect(instance!.StateReason).toBeUndefined();
  });

  it('TerminateInstances with DryRun returns DryRunOperation and terminates nothing', async () => {
    const { clock, ec2, template, launch, state } = stage();
    await template();
    const { id } = launch();
    await clock.advance(minuteMs);

    await expect(ec2.send(new TerminateInstancesCommand({ InstanceIds: [id], DryRun: true }))).rejects.toMatchObject({
      name: 'DryRunOperation',
      message: 'Request would have succeeded, but DryRun flag is set.',
      $metadata: { httpStatusCode: 412 },
    });
    expect(await state(id)).toBe('running');
  });

  it('instances run after a while, stop and start again, and stay visible for an hour after their end', async () => {
    const { world, clock, ec2, template, launch, state, find } = stage();
    await template();
    const { id } = launch();
    expect(await state(id)).toBe('pending');
    await clock.advance(minuteMs);
    expect(await state(id)).toBe('running');

    world.aws.ec2.stop(id, { hibernate: false });
    expect(await state(id)).toBe('stopping');
    expect(() => world.aws.ec2.start(id)).toThrow(expect.objectContaining({ code: 'IncorrectInstanceState' }));
    await clock.advance(minuteMs);
    expect(await state(id)).toBe('stopped');
    world.aws.ec2.start(id);
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

  it('instances are found by state, tag, address and wildcard, all filters together', async () => {
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

  it('instances come in pages', async () => {
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
    const { world, clock, template, launch } = stage();
    await template();
    const { id } = launch();
    await clock.advance(5 * minuteMs);
    const code = 'UnsupportedHibernationConfiguration';
    expect(() => world.aws.ec2.stop(id, { hibernate: true })).toThrow(expect.objectContaining({ code }));

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

  it('instances need an image of their architecture', async () => {
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
  it('tags are created and described on any resource', async () => {
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
  });

  it('tags of AWS itself and values above 256 characters cannot be set, and the instance must exist', async () => {
    const { ec2, template, launch } = stage();
    await template();
    const { id } = launch();
    const tag = (resource: string, Key: string) =>
      ec2.send(new CreateTagsCommand({ Resources: [resource], Tags: [{ Key, Value: 'x'.repeat(256) }] }));
    const tooLong = { Resources: [id], Tags: [{ Key: 'x', Value: 'x'.repeat(257) }] };

    await expect(tag(id, 'aws:x')).rejects.toMatchObject({ name: 'InvalidParameterValue' });
    await expect(tag('i-0123456789abcdef0', 'x')).rejects.toMatchObject({ name: 'InvalidInstanceID.NotFound' });
    await expect(tag(id, 'x')).resolves.toBeDefined();
    await expect(ec2.send(new CreateTagsCommand(tooLong))).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });
});

describe('events of tags', () => {
  it('a changed tag of an instance is an event with the keys that changed and all tags, and the same value again is none', async () => {
    const { world, ec2, template, launch } = stage();
    await template();
    const { id, arn } = launch({ cluster: 'logs' });
    const seen: unknown[] = [];
    world.aws.events.emit = (event) => void seen.push(event);
    const tag = (Value: string) => ec2.send(new CreateTagsCommand({ Resources: [id], Tags: [{ Key: 'a', Value }] }));
    await tag('1');
    await tag('1');

    expect(seen).toEqual([
      {
        source: 'aws.tag',
        detailType: 'Tag Change on Resource',
        detail: expect.objectContaining({
          'changed-tag-keys': ['a'],
          service: 'ec2',
          'resource-type': 'instance',
          tags: expect.objectContaining({ cluster: 'logs', a: '1' }),
        }),
        resources: [arn],
      },
    ]);
  });
});

describe('launch templates', () => {
  it('launch templates have versions, of which the first stays the default', async () => {
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
    const described = await ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: ['template'] }));
    expect(described.LaunchTemplates).toMatchObject([{ DefaultVersionNumber: 1, LatestVersionNumber: 3 }]);
    await ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId }));
    expect(() => resolve('1')).toThrow(expect.objectContaining({ code: 'InvalidLaunchTemplateId.NotFound' }));
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
    const { defaultVpc, securityGroups } = world.aws.ec2.network;
    const { Subnets } = await ec2.send(
      new DescribeSubnetsCommand({ Filters: [{ Name: 'vpc-id', Values: [defaultVpc!.id] }] }),
    );
    expect(Subnets?.map((one) => one.AvailabilityZone)).toEqual(['eu-west-1a', 'eu-west-1b', 'eu-west-1c']);
    expect(world.aws.ec2.hasInternetRoute(subnet.id)).toBe(true);
    expect(world.aws.ec2.hasInternetRoute(subnet.id, { publicAddress: false })).toBe(false);
    const rules = [...securityGroups.values()].flatMap((group) => [...group.rules.values()]);
    expect(rules).toContainEqual(expect.objectContaining({ egress: true, cidr: '0.0.0.0/0' }));
    await expect(ec2.send(new DescribeSubnetsCommand({ SubnetIds: ['subnet-1'] }))).rejects.toMatchObject({
      name: 'InvalidSubnetID.NotFound',
    });
  });
});
