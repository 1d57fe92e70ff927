import {
  CreateImageCommand,
  CreateLaunchTemplateCommand,
  DeleteSnapshotCommand,
  DeregisterImageCommand,
  DescribeImagesCommand,
  DescribeInstancesCommand,
  DescribeSnapshotsCommand,
  RunInstancesCommand,
  type RunInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import { AddRoleToInstanceProfileCommand, CreateInstanceProfileCommand, CreateRoleCommand } from '@aws-sdk/client-iam';
import { GetParameterCommand, PutParameterCommand } from '@aws-sdk/client-ssm';
import { clients, World } from '@drover/cloud-world';
import type { VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';

const minuteMs = 60_000;
const base = 'ami-0a10000000000a201';
const owned = [{ Key: 'fleet', Value: 'ci' }];

async function stage() {
  const world = new World();
  const clock = world.engine.clock as VirtualClock;
  const aws = clients(world, undefined, { fast: true, maxAttempts: 1 });
  const { ec2, ssm } = aws;
  await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: 'template',
      LaunchTemplateData: {
        ImageId: 'resolve:ssm:/image',
        InstanceType: 't3a.medium',
        BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { VolumeSize: 30, Encrypted: true } }],
        HibernationOptions: { Configured: true },
        TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'team', Value: 'ops' }] }],
      },
    }),
  );
  await ssm.send(new PutParameterCommand({ Name: '/image', Type: 'String', Value: base }));
  const run = async (more: Partial<RunInstancesCommandInput> = {}) => {
    const { Instances } = await ec2.send(
      new RunInstancesCommand({
        LaunchTemplate: { LaunchTemplateName: 'template', Version: '$Latest' },
        MinCount: 1,
        MaxCount: 1,
        HibernationOptions: { Configured: false },
        ...more,
      }),
    );
    return Instances![0]!;
  };
  const stateOf = async (id: string) =>
    (await ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }))).Reservations![0]!.Instances![0]!;
  /** A stopped instance whose system has powered off. */
  const stopped = async () => {
    const { InstanceId: id } = await run();
    await clock.advance(5 * minuteMs);
    world.machines.get(id!)!.files.set('/etc/made', 'here');
    world.machines.get(id!)!.powerOff();
    await clock.advance(2 * minuteMs);
    return id!;
  };
  const create = async (InstanceId: string, Name = 'one') =>
    (
      await ec2.send(
        new CreateImageCommand({
          InstanceId,
          Name,
          TagSpecifications: ['image' as const, 'snapshot' as const].map((ResourceType) => ({
            ResourceType,
            Tags: owned,
          })),
        }),
      )
    ).ImageId!;
  const images = async () => (await ec2.send(new DescribeImagesCommand({ Owners: ['self'] }))).Images!;
  const snapshots = async () =>
    (
      await ec2.send(
        new DescribeSnapshotsCommand({ OwnerIds: ['self'], Filters: [{ Name: 'tag:fleet', Values: ['ci'] }] }),
      )
    ).Snapshots!;
  return { world, clock, aws, ec2, ssm, run, stateOf, stopped, create, images, snapshots };
}

describe('images of instances', () => {
  it('[rule 31] an image is pending at first, cannot be launched from until it is available, and has the disk of its instance', async () => {
    const { world, clock, stopped, create, images, run } = await stage();
    const instance = await stopped();
    const image = await create(instance);
    expect(await images()).toMatchObject([
      { ImageId: image, State: 'pending', Name: 'one', SourceInstanceId: instance, Tags: owned },
    ]);
    await expect(run({ ImageId: image })).rejects.toMatchObject({ name: 'InvalidAMIID.Unavailable' });

    await clock.advance(5 * minuteMs);

    expect(await images()).toMatchObject([{ State: 'available', BlockDeviceMappings: [{ Ebs: { Encrypted: true } }] }]);
    const { InstanceId, ImageId } = await run({ ImageId: image });
    expect(ImageId).toBe(image);
    await clock.advance(5 * minuteMs);
    expect(world.machines.get(InstanceId!)?.files.get('/etc/made')).toBe('here');
  });

  it('[rule 31] the snapshots of an image stay when it is deregistered, and are not deleted before', async () => {
    const { clock, ec2, stopped, create, images, snapshots } = await stage();
    const ImageId = await create(await stopped());
    await clock.advance(5 * minuteMs);
    const [snapshot] = await snapshots();
    const { SnapshotId } = snapshot!;
    expect(snapshot).toMatchObject({ State: 'completed', Encrypted: true, VolumeSize: 30 });
    await expect(ec2.send(new DeleteSnapshotCommand({ SnapshotId }))).rejects.toMatchObject({
      name: 'InvalidSnapshot.InUse',
      message: `The snapshot ${SnapshotId} is currently in use by ${ImageId}`,
    });

    await ec2.send(new DeregisterImageCommand({ ImageId }));

    expect(await images()).toEqual([]);
    expect(await snapshots()).toHaveLength(1);
    await ec2.send(new DeleteSnapshotCommand({ SnapshotId }));
    expect(await snapshots()).toEqual([]);
    await expect(ec2.send(new DeregisterImageCommand({ ImageId }))).rejects.toMatchObject({
      name: 'InvalidAMIID.NotFound',
      message: `The image id '[${ImageId}]' does not exist`,
    });
    await expect(ec2.send(new DeregisterImageCommand({ ImageId: base }))).rejects.toThrow('Not authorized');
  });

  it('a name is that of one image, and an instance with hibernation gives none', async () => {
    const { clock, run, world, stopped, create } = await stage();
    const instance = await stopped();
    const first = await create(instance);
    await expect(create(instance)).rejects.toMatchObject({
      name: 'InvalidAMIName.Duplicate',
      message: `AMI name one is already in use by AMI ${first}`,
    });
    await expect(create(instance, 'a!b')).rejects.toMatchObject({ name: 'InvalidAMIName.Malformed' });
    const { InstanceId: hibernating } = await run({ HibernationOptions: { Configured: true } });
    await expect(create(hibernating!, 'two')).rejects.toMatchObject({ name: 'IncorrectState' });
    await clock.advance(5 * minuteMs);
    world.machines.get(hibernating!)!.powerOff();
    await clock.advance(2 * minuteMs);
    await expect(create(hibernating!, 'two')).rejects.toMatchObject({ name: 'UnsupportedOperation' });
  });
});

describe('RunInstances', () => {
  it('what is given overrides the launch template, tags are added, and a token launches once', async () => {
    const { run, stateOf } = await stage();
    const given = {
      ClientToken: 'bake',
      MetadataOptions: { HttpTokens: 'required', InstanceMetadataTags: 'enabled' } as const,
      TagSpecifications: [{ ResourceType: 'instance' as const, Tags: [{ Key: 'drover:bake', Value: 'b1' }] }],
    };
    const first = await run(given);

    expect((await run(given)).InstanceId).toBe(first.InstanceId);
    await expect(run({ ...given, InstanceType: 't3a.large' })).rejects.toMatchObject({
      name: 'IdempotentParameterMismatch',
    });
    expect(await stateOf(first.InstanceId!)).toMatchObject({
      ImageId: base,
      MetadataOptions: { InstanceMetadataTags: 'enabled' },
      HibernationOptions: { Configured: false },
      Tags: expect.arrayContaining([
        { Key: 'team', Value: 'ops' },
        { Key: 'drover:bake', Value: 'b1' },
      ]),
    });
  });

  it('[rule 32] a system that powers off stops its instance, or terminates it if it was launched so', async () => {
    const { world, clock, run, stateOf, stopped } = await stage();
    expect(await stateOf(await stopped())).toMatchObject({
      State: { Name: 'stopped' },
      StateReason: { Code: 'Client.InstanceInitiatedShutdown' },
    });
    const { InstanceId: id } = await run({ InstanceInitiatedShutdownBehavior: 'terminate' });
    await clock.advance(5 * minuteMs);
    world.machines.get(id!)!.powerOff();
    await clock.advance(2 * minuteMs);
    expect((await stateOf(id!)).State?.Name).toBe('terminated');
  });

  it('the launch of an instance with a role asks for iam:PassRole of that role', async () => {
    const { world, aws } = await stage();
    const document = {
      Statement: [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }],
    };
    await aws.iam.send(new CreateRoleCommand({ RoleName: 'r', AssumeRolePolicyDocument: JSON.stringify(document) }));
    await aws.iam.send(new CreateInstanceProfileCommand({ InstanceProfileName: 'p' }));
    await aws.iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName: 'p', RoleName: 'r' }));
    const asked = (IamInstanceProfile?: object) =>
      world.aws.services.ec2.operations
        .RunInstances!.permissions(
          { LaunchTemplate: { LaunchTemplateName: 'template' }, IamInstanceProfile },
          undefined as never,
        )
        .filter(({ action }) => action === 'iam:PassRole');

    expect(asked()).toEqual([]);
    expect(asked({ Name: 'p' })).toMatchObject([{ resource: 'arn:aws:iam::123456789012:role/r' }]);
  });
});

it('[rule 33] a parameter with the type of images changes a moment after PutParameter, and only to an image that exists', async () => {
  const { clock, ssm, stopped, create } = await stage();
  const put = (Value: string) =>
    ssm.send(new PutParameterCommand({ Name: '/image', Value, Overwrite: true, DataType: 'aws:ec2:image' }));
  const value = async () => (await ssm.send(new GetParameterCommand({ Name: '/image' }))).Parameter?.Value;
  const image = await create(await stopped());
  await clock.advance(5 * minuteMs);

  await expect(
    ssm.send(new PutParameterCommand({ Name: '/image', Value: image, Type: 'String' })),
  ).rejects.toMatchObject({ name: 'ParameterAlreadyExists' });
  await put('ami-00000000000000000');
  await clock.advance(minuteMs);
  expect(await value()).toBe(base);
  await put(image);
  expect(await value()).toBe(base);
  await clock.advance(minuteMs);
  expect(await value()).toBe(image);
});
