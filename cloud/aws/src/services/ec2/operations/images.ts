import { arn } from '../../../account/arn.ts';
import { notImplemented } from '../../../account/errors.ts';
import type { Operations, Permission } from '../../../account/service.ts';
import type { Image } from '../catalog.ts';
import { ec2Error, missingParameter } from '../errors.ts';
import { type OwnImage, type Snapshot, type TagSpecification, tagList, tagsFor } from '../model.ts';
import type { Ec2State } from '../state.ts';
import { applyFilters, type Filter, type FilterReaders, page } from './filters.ts';
import { onIds, read, requestTags } from './permissions.ts';

interface CreateInput {
  readonly InstanceId?: string;
  readonly Name?: string;
  readonly Description?: string;
  readonly TagSpecifications?: readonly TagSpecification[];
}

interface PageInput {
  readonly Filters?: readonly Filter[];
  readonly NextToken?: string;
  readonly MaxResults?: number;
}

type DescribeImagesInput = PageInput & { readonly ImageIds?: readonly string[]; readonly Owners?: readonly string[] };
type DescribeSnapshotsInput = PageInput & {
  readonly SnapshotIds?: readonly string[];
  readonly OwnerIds?: readonly string[];
};

/** Images of instances and their snapshots: made, described, removed. */
export const imageOperations = (ec2: Ec2State): Operations => ({
  CreateImage: {
    permissions: (input: CreateInput) => createPermissions(ec2, input),
    run: (input: CreateInput) => ({ ImageId: create(ec2, input).imageId }),
  },
  DeregisterImage: {
    permissions: ({ ImageId }: { readonly ImageId?: string }) => onIds(ec2, 'DeregisterImage', [ImageId ?? '']),
    run: ({ ImageId }: { readonly ImageId?: string }) => {
      if (ImageId === undefined) throw missingParameter('ImageId');
      ec2.catalog.deregister(ImageId);
      return { Return: true };
    },
  },
  DeleteSnapshot: {
    permissions: ({ SnapshotId }: { readonly SnapshotId?: string }) => onIds(ec2, 'DeleteSnapshot', [SnapshotId ?? '']),
    run: ({ SnapshotId }: { readonly SnapshotId?: string }) => {
      if (SnapshotId === undefined) throw missingParameter('SnapshotId');
      ec2.catalog.deleteSnapshot(SnapshotId);
      return {};
    },
  },
  DescribeImages: read('DescribeImages', (input: DescribeImagesInput) => {
    const { items, ...next } = page(selectImages(ec2, input), input);
    return { Images: items.map(({ image }) => imageShape(ec2, image)), ...next };
  }),
  DescribeSnapshots: read('DescribeSnapshots', (input: DescribeSnapshotsInput) => {
    const { items, ...next } = page(selectSnapshots(ec2, input), input);
    return { Snapshots: items.map((snapshot) => snapshotShape(ec2, snapshot)), ...next };
  }),
});

/** Of a stopped instance. One that runs is rebooted by EC2 first, which is not modelled. */
function create(ec2: Ec2State, { InstanceId, Name, Description = '', TagSpecifications }: CreateInput): OwnImage {
  if (InstanceId === undefined) throw missingParameter('InstanceId');
  if (Name === undefined) throw missingParameter('Name');
  const instance = ec2.fleet.get(InstanceId);
  if (instance.state === 'running') throw notImplemented('ec2', 'CreateImage of an instance that runs');
  if (instance.state !== 'stopped')
    throw ec2Error(
      'IncorrectState',
      `The instance '${instance.id}' is not in a state from which an image can be created`,
    );
  // "You can't create an AMI from … an instance for which hibernation is enabled" (User Guide, hibernation, Limitations).
  if (instance.hibernationConfigured)
    throw ec2Error('UnsupportedOperation', `An image of '${instance.id}' can't be made: hibernation is enabled`);
  return ec2.catalog.create(instance, ec2.volumes.of(instance.id), {
    name: Name,
    description: Description,
    tags: tagsFor(TagSpecifications, 'image'),
    snapshotTags: tagsFor(TagSpecifications, 'snapshot'),
  });
}

function createPermissions(ec2: Ec2State, { InstanceId = '', TagSpecifications = [] }: CreateInput): Permission[] {
  const context = requestTags(TagSpecifications.flatMap(({ Tags }) => Tags ?? []));
  const ofAccount = (kind: string) => arn({ region: ec2.aws.region, accountId: '' }, 'ec2', `${kind}/*`);
  return [
    ...onIds(ec2, 'CreateImage', [InstanceId]),
    ...['image', 'snapshot'].map((kind) => ({ action: 'ec2:CreateImage', resource: ofAccount(kind), context })),
    ...TagSpecifications.map(({ ResourceType = '' }) => ({
      action: 'ec2:CreateTags',
      resource: ofAccount(ResourceType),
      context: { ...context, 'ec2:CreateAction': 'CreateImage' },
    })),
  ];
}

interface ListedImage {
  readonly image: Image | OwnImage;
  readonly tags: Readonly<Record<string, string>>;
}

const imageReaders: FilterReaders<ListedImage> = {
  architecture: ({ image }) => image.architecture,
  'image-id': ({ image }) => image.imageId,
  name: ({ image }) => image.name,
  'root-device-name': ({ image }) => image.rootDeviceName,
  'source-instance-id': ({ image }) => ('sourceInstanceId' in image ? image.sourceInstanceId : undefined),
  state: ({ image }) => stateOf(image),
};

const stateOf = (image: Image | OwnImage) => ('state' in image ? image.state : 'available');

function selectImages(ec2: Ec2State, { ImageIds = [], Owners = [], Filters }: DescribeImagesInput): ListedImage[] {
  const named = ImageIds.length > 0 ? ImageIds.map((id) => ec2.catalog.get(id)) : [...ec2.images.values()];
  const listed = named.map(
    (image: Image | OwnImage): ListedImage => ({ image, tags: 'tags' in image ? image.tags : {} }),
  );
  const owners = new Set(Owners.map((owner) => (owner === 'self' ? ec2.aws.accountId : owner)));
  const owned = owners.size === 0 ? listed : listed.filter(({ image }) => owners.has(ownerOf(ec2, image)));
  return applyFilters(owned, Filters, imageReaders);
}

/** Accounts of Canonical, Debian and Amazon, as they publish them. */
const makers: readonly (readonly [prefix: string, account: string])[] = [
  ['ubuntu', '099720109477'],
  ['debian', '136693071363'],
  ['', '137112412989'],
];
const ownerOf = (ec2: Ec2State, image: Image | OwnImage): string =>
  'sourceInstanceId' in image ? ec2.aws.accountId : makers.find(([prefix]) => image.name.startsWith(prefix))![1];

function imageShape(ec2: Ec2State, image: Image | OwnImage) {
  const own = 'sourceInstanceId' in image ? image : undefined;
  return {
    ImageId: image.imageId,
    Name: image.name,
    Description: own?.description ?? '',
    State: stateOf(image),
    OwnerId: ownerOf(ec2, image),
    Public: own === undefined,
    Architecture: image.architecture,
    ImageType: 'machine',
    RootDeviceName: image.rootDeviceName,
    RootDeviceType: 'ebs',
    VirtualizationType: 'hvm',
    ...(own === undefined
      ? {}
      : {
          CreationDate: new Date(own.createdAt).toISOString(),
          SourceInstanceId: own.sourceInstanceId,
          BlockDeviceMappings: own.snapshots.map(({ id, device, sizeGiB, encrypted }) => ({
            DeviceName: device,
            Ebs: { SnapshotId: id, VolumeSize: sizeGiB, Encrypted: encrypted, DeleteOnTermination: true },
          })),
        }),
    Tags: own === undefined ? [] : tagList(own.tags),
  };
}

const snapshotReaders: FilterReaders<Snapshot> = {
  description: ({ description }) => description,
  'snapshot-id': ({ id }) => id,
  status: ({ state }) => state,
  'volume-id': ({ volumeId }) => volumeId,
};

function selectSnapshots(
  ec2: Ec2State,
  { SnapshotIds = [], OwnerIds = [], Filters }: DescribeSnapshotsInput,
): Snapshot[] {
  const named =
    SnapshotIds.length > 0 ? SnapshotIds.map((id) => ec2.catalog.snapshot(id)) : [...ec2.catalog.snapshots.values()];
  const mine = OwnerIds.length === 0 || OwnerIds.includes('self') || OwnerIds.includes(ec2.aws.accountId);
  return applyFilters(mine ? named : [], Filters, snapshotReaders);
}

const snapshotShape = ({ aws }: Ec2State, snapshot: Snapshot) => ({
  SnapshotId: snapshot.id,
  OwnerId: aws.accountId,
  VolumeId: snapshot.volumeId,
  VolumeSize: snapshot.sizeGiB,
  Encrypted: snapshot.encrypted,
  Description: snapshot.description,
  StartTime: new Date(snapshot.startedAt),
  State: snapshot.state,
  Progress: snapshot.state === 'completed' ? '100%' : '50%',
  Tags: tagList(snapshot.tags),
});
