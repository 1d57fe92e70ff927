import type { Ec2Operations } from '../calls.ts';
import { ec2Protocol } from './protocols.ts';
import { listOf, members, type Shape } from './read-xml.ts';
import type { SignedService } from './signed-calls.ts';

/** Elements of EC2's responses are named as in the output, but with a small first letter; lists have names of their own. */
const ec2Members = (shapes: Readonly<Record<string, Shape>>, lists: Readonly<Record<string, string>> = {}) => {
  const element = (name: string) => lists[name] ?? `${name[0]!.toLowerCase()}${name.slice(1)}`;
  const entries = Object.entries(shapes);
  return members(
    Object.fromEntries(entries.map(([name, shape]) => [element(name), shape])),
    Object.fromEntries(entries.map(([name]) => [element(name), name])),
  );
};
const items = (shape: Shape) => listOf(shape, 'item');

const tags = items(ec2Members({ Key: 'text', Value: 'text' }));
const instance = ec2Members(
  {
    InstanceId: 'text',
    ImageId: 'text',
    InstanceType: 'text',
    LaunchTime: 'time',
    PrivateIpAddress: 'text',
    PrivateDnsName: 'text',
    State: ec2Members({ Name: 'text' }),
    StateReason: ec2Members({ Message: 'text' }),
    Tags: tags,
  },
  { State: 'instanceState', Tags: 'tagSet' },
);
const status = ec2Members({
  InstanceId: 'text',
  InstanceStatus: ec2Members({
    Status: 'text',
    Details: items(ec2Members({ Name: 'text', Status: 'text', ImpairedSince: 'time' })),
  }),
});
const reservation = ec2Members({ Instances: items(instance) }, { Instances: 'instancesSet' });
const image = ec2Members(
  { ImageId: 'text', State: 'text', CreationDate: 'text', Tags: tags },
  { State: 'imageState', Tags: 'tagSet' },
);
const snapshot = ec2Members({ SnapshotId: 'text', Tags: tags }, { Tags: 'tagSet' });

const volume = ec2Members(
  { VolumeId: 'text', Size: 'number', Attachments: items(ec2Members({ InstanceId: 'text' })) },
  { Attachments: 'attachmentSet' },
);
const modification = ec2Members({
  VolumeId: 'text',
  ModificationState: 'text',
  TargetSize: 'number',
  Progress: 'number',
  StartTime: 'time',
});

/** Amazon EC2. */
export const ec2: SignedService<Ec2Operations> = {
  name: 'ec2',
  protocol: ec2Protocol('2016-11-15', {
    Filters: 'Filter',
    Values: 'Value',
    Resources: 'ResourceId',
    Tags: 'Tag',
    TagSpecifications: 'TagSpecification',
    InstanceIds: 'InstanceId',
    Owners: 'Owner',
    OwnerIds: 'Owner',
  }),
  operations: {
    CreateImage: { output: ec2Members({ ImageId: 'text' }) },
    CreateTags: {},
    DeleteSnapshot: {},
    DeregisterImage: {},
    DescribeImages: {
      output: ec2Members({ Images: items(image), NextToken: 'text' }, { Images: 'imagesSet' }),
    },
    DescribeSnapshots: {
      output: ec2Members({ Snapshots: items(snapshot), NextToken: 'text' }, { Snapshots: 'snapshotSet' }),
    },
    DescribeInstanceStatus: {
      output: ec2Members(
        { InstanceStatuses: items(status), NextToken: 'text' },
        { InstanceStatuses: 'instanceStatusSet' },
      ),
    },
    DescribeInstances: {
      output: ec2Members({ Reservations: items(reservation), NextToken: 'text' }, { Reservations: 'reservationSet' }),
    },
    DescribeTags: {
      output: ec2Members(
        { Tags: items(ec2Members({ ResourceId: 'text', Key: 'text', Value: 'text' })), NextToken: 'text' },
        { Tags: 'tagSet' },
      ),
    },
    DescribeVolumes: {
      output: ec2Members({ Volumes: items(volume), NextToken: 'text' }, { Volumes: 'volumeSet' }),
    },
    DescribeVolumesModifications: {
      output: ec2Members(
        { VolumesModifications: items(modification), NextToken: 'text' },
        { VolumesModifications: 'volumeModificationSet' },
      ),
    },
    ModifyVolume: {},
    RunInstances: { output: reservation },
    TerminateInstances: {},
  },
};
