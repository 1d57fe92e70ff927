import type { World } from '@drover/cloud-world';
import type { Seen, Step } from '../play.ts';

const disk = (DeviceName: string, VolumeSize: number) => ({ DeviceName, Ebs: { VolumeSize } });
const first = ({ DescribeVolumes }: Seen) => DescribeVolumes.Volumes[0].VolumeId;
const launch = ({ aws }: World) => {
  const [subnet] = [...aws.ec2.network.subnets.values()];
  aws.ec2.launch({ launchTemplate: { name: 'disks', version: '1' }, subnetId: subnet!.id, tags: {} });
};
const size = (...Values: string[]) => ({ Filters: [{ Name: 'size', Values }] });

export const volumes: readonly Step[] = [
  [
    'ec2:CreateLaunchTemplate',
    {
      LaunchTemplateName: 'disks',
      LaunchTemplateData: {
        ImageId: 'ami-0a10000000000a201',
        InstanceType: 't3a.medium',
        BlockDeviceMappings: [disk('/dev/sdf', 100), disk('/dev/sdg', 50)],
      },
    },
  ],
  launch,
  ['ec2:DescribeVolumes', { MaxResults: 5 }],
  ['ec2:DescribeVolumes', { MaxResults: 1 }],
  ['ec2:DescribeVolumes', ({ DescribeVolumes }) => ({ MaxResults: 1, NextToken: DescribeVolumes.NextToken })],
  ['ec2:DescribeVolumes', size('50')],
  ['ec2:DescribeVolumes', (seen) => ({ VolumeIds: [first(seen)] })],
  ['ec2:ModifyVolume', (seen) => ({ VolumeId: first(seen), Size: 60, Iops: 6_000, Throughput: 500 })],
  ['ec2:DescribeVolumes', { ...size('100'), DryRun: true }],
  ['ec2:DescribeVolumes', size('100')],
  ['ec2:ModifyVolume', (seen) => ({ VolumeId: first(seen), Size: 120, DryRun: true })],
  ['ec2:ModifyVolume', (seen) => ({ VolumeId: first(seen), Size: 120 })],
  ['ec2:DescribeVolumesModifications', { MaxResults: 5 }],
  ['ec2:DescribeVolumesModifications', { MaxResults: 1 }],
  [
    'ec2:DescribeVolumesModifications',
    ({ DescribeVolumesModifications }) => ({ MaxResults: 1, NextToken: DescribeVolumesModifications.NextToken }),
  ],
  ['ec2:DescribeVolumesModifications', { Filters: [{ Name: 'target-size', Values: ['60'] }] }],
  ['ec2:DescribeVolumesModifications', (seen) => ({ VolumeIds: [first(seen)] })],
  ['ec2:DescribeVolumesModifications', { DryRun: true }],
];
