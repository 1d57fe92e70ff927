import type { World } from '@drover/cloud-world';
import type { Seen, Step } from '../play.ts';

const role = {
  AssumeRolePolicyDocument: JSON.stringify({
    Statement: [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }],
  }),
};
const tags = (...types: string[]) =>
  types.map((ResourceType) => ({ ResourceType, Tags: [{ Key: 'fleet', Value: 'ci' }] }));
const powerOff = ({ machines }: World) => {
  for (const machine of machines.all()) machine.powerOff();
};
const instance = ({ RunInstances }: Seen) => RunInstances.Instances[0].InstanceId;
const ofFleet = [{ Name: 'tag:fleet', Values: ['ci'] }];
const one = { LaunchTemplate: { LaunchTemplateName: 'runners' }, MinCount: 1, MaxCount: 1 };

export const images: readonly Step[] = [
  ['iam:CreateRole', { RoleName: 'baking', ...role }],
  ['iam:CreateInstanceProfile', { InstanceProfileName: 'baking' }],
  ['iam:AddRoleToInstanceProfile', { InstanceProfileName: 'baking', RoleName: 'baking' }],
  [
    'ec2:CreateLaunchTemplate',
    {
      LaunchTemplateName: 'runners',
      LaunchTemplateData: {
        ImageId: 'ami-0a10000000000c241',
        InstanceType: 't3a.medium',
        HibernationOptions: { Configured: true },
        BlockDeviceMappings: [{ DeviceName: '/dev/sda1', Ebs: { VolumeSize: 30, Encrypted: true } }],
      },
    },
  ],
  ['ec2:DescribeSubnets', {}],
  ['ec2:RunInstances', { ...one, ClientToken: 'a', DryRun: true }],
  [
    'ec2:RunInstances',
    ({ DescribeSubnets }) => ({
      ...one,
      ClientToken: 'a',
      ImageId: 'ami-0a10000000000c221',
      InstanceType: 't3a.large',
      SubnetId: DescribeSubnets.Subnets[1].SubnetId,
      IamInstanceProfile: { Name: 'baking' },
      MetadataOptions: { InstanceMetadataTags: 'enabled' },
      HibernationOptions: { Configured: false },
      InstanceInitiatedShutdownBehavior: 'terminate',
      TagSpecifications: tags('instance'),
    }),
  ],
  [
    'ec2:RunInstances',
    { ...one, ClientToken: 'a', HibernationOptions: { Configured: false }, TagSpecifications: tags('instance') },
  ],
  ['ec2:RunInstances', { ...one, HibernationOptions: { Configured: false } }],
  300_000,
  powerOff,
  300_000,
  ['ec2:DescribeInstances', {}],
  ['ec2:CreateImage', (seen) => ({ InstanceId: instance(seen), Name: 'one', DryRun: true })],
  [
    'ec2:CreateImage',
    (seen) => ({
      InstanceId: instance(seen),
      Name: 'one',
      Description: 'of runners',
      TagSpecifications: tags('image', 'snapshot'),
    }),
  ],
  300_000,
  ['ec2:DescribeImages', {}],
  ['ec2:DescribeImages', { MaxResults: 1 }],
  ['ec2:DescribeImages', ({ DescribeImages }) => ({ MaxResults: 1, NextToken: DescribeImages.NextToken })],
  ['ec2:DescribeImages', { Owners: ['self'] }],
  ['ec2:DescribeImages', { Filters: ofFleet }],
  ['ec2:DescribeImages', { DryRun: true }],
  ['ec2:DescribeImages', { ImageIds: ['ami-0a10000000000c221'] }],
  ['ec2:DescribeSnapshots', { OwnerIds: ['099720109477'] }],
  ['ec2:DescribeSnapshots', { DryRun: true }],
  ['ec2:CreateImage', (seen) => ({ InstanceId: instance(seen), Name: 'two' })],
  ['ec2:DescribeSnapshots', { MaxResults: 1 }],
  ['ec2:DescribeSnapshots', ({ DescribeSnapshots }) => ({ MaxResults: 1, NextToken: DescribeSnapshots.NextToken })],
  ['ec2:DescribeSnapshots', { Filters: ofFleet }],
  ['ec2:DescribeSnapshots', ({ DescribeSnapshots }) => ({ SnapshotIds: [DescribeSnapshots.Snapshots[0].SnapshotId] })],
  ['ec2:DeregisterImage', ({ CreateImage }) => ({ ImageId: CreateImage.ImageId, DryRun: true })],
  ['ec2:DeregisterImage', ({ CreateImage }) => ({ ImageId: CreateImage.ImageId })],
  ['ec2:DescribeSnapshots', { MaxResults: 5 }],
  [
    'ec2:DeleteSnapshot',
    ({ DescribeSnapshots }) => ({ SnapshotId: DescribeSnapshots.Snapshots[1].SnapshotId, DryRun: true }),
  ],
  ['ec2:DeleteSnapshot', ({ DescribeSnapshots }) => ({ SnapshotId: DescribeSnapshots.Snapshots[1].SnapshotId })],
  ['ssm:PutParameter', { Name: '/image', Value: 'ami-0a10000000000c221', Type: 'String' }],
  ['ssm:PutParameter', { Name: '/image', Value: 'ami-0', Overwrite: true, DataType: 'aws:ec2:image' }],
  10_000,
  ['ssm:GetParameter', { Name: '/image' }],
];
