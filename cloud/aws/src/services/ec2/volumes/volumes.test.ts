import {
  CreateLaunchTemplateCommand,
  DescribeVolumesCommand,
  DescribeVolumesModificationsCommand,
  ModifyVolumeCommand,
} from '@aws-sdk/client-ec2';
import { clients, World } from '@drover/cloud-world';
import type { VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

async function stage() {
  const world = new World();
  const clock = world.engine.clock as VirtualClock;
  const { ec2 } = clients(world, undefined, { fast: true, maxAttempts: 1 });
  const [subnet] = [...world.aws.ec2.network.subnets.values()];
  await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: 'template',
      LaunchTemplateData: {
        ImageId: 'ami-0a10000000000a201',
        InstanceType: 't3a.medium',
        BlockDeviceMappings: [
          { DeviceName: '/dev/sdf', Ebs: { VolumeSize: 500, VolumeType: 'gp3', DeleteOnTermination: true } },
        ],
        TagSpecifications: [{ ResourceType: 'volume', Tags: [{ Key: 'cluster', Value: 'search' }] }],
      },
    }),
  );
  const { id } = world.aws.ec2.launch({
    launchTemplate: { name: 'template', version: '1' },
    subnetId: subnet!.id,
    tags: {},
  });
  await clock.advance(minuteMs);
  const data = async () => {
    const Filters = [
      { Name: 'attachment.instance-id', Values: [id] },
      { Name: 'attachment.device', Values: ['/dev/sdf'] },
    ];
    return (await ec2.send(new DescribeVolumesCommand({ Filters }))).Volumes![0]!;
  };
  const VolumeId = (await data()).VolumeId!;
  const modify = (Size: number) => ec2.send(new ModifyVolumeCommand({ VolumeId, Size }));
  const modification = async () =>
    (await ec2.send(new DescribeVolumesModificationsCommand({ VolumeIds: [VolumeId] }))).VolumesModifications![0];
  return { world, clock, ec2, id, data, modify, modification };
}

it('an instance has a root volume and those of its launch template, tagged as that says, and they end with it', async () => {
  const { world, clock, ec2, id, data } = await stage();

  expect(await data()).toMatchObject({ Size: 500, State: 'in-use', Tags: [{ Key: 'cluster', Value: 'search' }] });
  expect((await ec2.send(new DescribeVolumesCommand({}))).Volumes).toHaveLength(2);

  world.aws.ec2.terminate(id, 'over');
  await clock.advance(5 * minuteMs);
  expect((await ec2.send(new DescribeVolumesCommand({}))).Volumes).toEqual([]);
});

it('[rule 30] a volume has its new size when its modification is optimizing, and can be modified again when that is completed', async () => {
  const { clock, data, modify, modification } = await stage();
  await modify(1_000);

  expect(await data()).toMatchObject({ Size: 500 });
  expect(await modification()).toMatchObject({ ModificationState: 'modifying', OriginalSize: 500, TargetSize: 1_000 });

  await clock.advance(2 * minuteMs);
  expect(await data()).toMatchObject({ Size: 1_000 });
  expect(await modification()).toMatchObject({ ModificationState: 'optimizing' });
  await expect(modify(2_000)).rejects.toMatchObject({ name: 'IncorrectModificationState' });

  await clock.advance(7 * hourMs);
  expect(await modification()).toMatchObject({ ModificationState: 'completed', Progress: 100 });
  await modify(2_000);
});

it('[rule 30] a volume never gets smaller', async () => {
  const { modify } = await stage();

  await expect(modify(499)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
});

it('[rule 30] a volume is modified four times within 24 hours, and the fifth request names the time of the next', async () => {
  const { world, clock, modify } = await stage();
  for (const size of [501, 502, 503]) {
    await modify(size);
    await clock.advance(7 * hourMs);
  }
  await modify(504);
  await clock.advance(2 * hourMs);
  const [volume] = [...world.aws.ec2.volumes.byId.values()].filter(({ shape }) => shape.sizeGiB === 504);
  Object.assign(volume!.modification!, { state: 'completed' });

  await expect(modify(505)).rejects.toMatchObject({
    name: 'VolumeModificationRateExceeded',
    message: expect.stringContaining(`Wait until ${new Date(volume!.modifiedAt[0]! + 24 * hourMs).toISOString()}`),
  });
  await clock.advance(2 * hourMs);
  await modify(505);
});
