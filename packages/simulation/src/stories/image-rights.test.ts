import { DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { FleetStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';

type Caller = Parameters<FleetStage['fleet']['world']['aws']['call']>[3];
type Service = Parameters<FleetStage['fleet']['world']['aws']['call']>[0];

const minute = 60_000;

describe('the function that bakes images, with its own credentials', () => {
  let stage: FleetStage;
  let caller: Caller;
  let runner: string;
  let bucket: string;
  let launch: { readonly LaunchTemplate: object; readonly IamInstanceProfile: object; readonly SubnetId: string };
  const call = (service: Service, operation: string, input: object) =>
    stage.fleet.drive(stage.fleet.world.aws.call(service, operation, input, caller), minute);
  const run = (more: object = {}, imageOf = 'runners') => {
    const Tags = [{ Key: 'drover:image-of', Value: imageOf }];
    const TagSpecifications = ['instance', 'volume', 'network-interface'].map((ResourceType) => ({
      ResourceType,
      Tags,
    }));
    return call('ec2', 'RunInstances', { ...launch, MinCount: 1, MaxCount: 1, TagSpecifications, ...more });
  };

  beforeAll(async () => {
    stage = await FleetStage.open(
      { asgMinSize: 1, bakedImage: true, imageBakeDays: 7 },
      {
        before: ({ world }) =>
          world.operate.injectFunction(
            (name) => name === 'runners_image',
            (environment) => async () => {
              caller = environment.caller;
            },
          ),
      },
    );
    await stage.untilOnline(1);
    await stage.pass(6);
    [runner = ''] = stage.online;
    const { world } = stage.fleet;
    bucket = world.observe.functionState('runners_image')?.environment.FLEET_MEMORY_BUCKET ?? '';
    const own = { AutoScalingGroupNames: ['runners'] };
    const found = await stage.fleet.drive(
      stage.aws.autoscaling.send(new DescribeAutoScalingGroupsCommand(own)),
      minute,
    );
    const [group] = found.AutoScalingGroups ?? [];
    const { LaunchTemplateId, Version } = group?.LaunchTemplate ?? {};
    launch = {
      LaunchTemplate: { LaunchTemplateId, Version },
      IamInstanceProfile: { Name: group?.Tags?.find(({ Key }) => Key === 'drover:bake-profile')?.Value },
      SubnetId: group?.VPCZoneIdentifier?.split(',')[0] ?? '',
    };
    const other = {
      LaunchTemplateName: 'other',
      LaunchTemplateData: { ImageId: 'ami-0a10000000000c241', InstanceType: 't3a.medium' },
    };
    const { aws, rootCredentials: credentials } = world;
    await stage.fleet.drive(aws.call('ec2', 'CreateLaunchTemplate', other, { credentials }), minute);
  });

  it('launches an instance of a bake, and terminates it', async () => {
    const { Instances } = (await run()) as { readonly Instances: readonly { readonly InstanceId: string }[] };
    const InstanceIds = Instances.map(({ InstanceId }) => InstanceId);

    await expect(call('ec2', 'TerminateInstances', { InstanceIds })).resolves.toBeDefined();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['launch an instance with the role of the runners', () => run({ IamInstanceProfile: undefined })],
    [
      'launch from another launch template',
      () => run({ LaunchTemplate: { LaunchTemplateName: 'other', Version: '1' } }),
    ],
    ['launch an instance without the tag of a bake', () => run({ TagSpecifications: [] })],
    ['launch an instance as one of another fleet', () => run({}, 'others')],
    ['terminate a runner', () => call('ec2', 'TerminateInstances', { InstanceIds: [runner] })],
    ['make an image of a runner', () => call('ec2', 'CreateImage', { InstanceId: runner, Name: 'stolen' })],
    [
      'tag a runner as the instance of a bake',
      () => call('ec2', 'CreateTags', { Resources: [runner], Tags: [{ Key: 'drover:image-of', Value: 'runners' }] }),
    ],
    [
      'write another parameter',
      () =>
        call('ssm', 'PutParameter', {
          Name: '/drover/others/image',
          Value: 'ami-0a10000000000c241',
          Type: 'String',
          DataType: 'aws:ec2:image',
          Overwrite: true,
        }),
    ],
    ['read the platform token', () => call('secretsmanager', 'GetSecretValue', { SecretId: 'platform-token' })],
    [
      'read the memory of the other functions',
      () => call('s3', 'GetObject', { Bucket: bucket, Key: 'fleet-memory.json' }),
    ],
    [
      'write the report of an instance',
      () => call('s3', 'PutObject', { Bucket: bucket, Key: 'image/b1/i-1.json', Body: Buffer.from('{}') }),
    ],
  ])('a function that bakes images may not %s', async (_, attempt) => {
    await expect(attempt()).rejects.toMatchObject({
      name: expect.stringMatching(/^(AccessDenied|AccessDeniedException|UnauthorizedOperation)$/),
    });
  });
});
