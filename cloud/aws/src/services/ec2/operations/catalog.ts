import type { Operations } from '../../../account/service.ts';
import { type Image, type InstanceType, instanceTypes } from '../catalog.ts';
import { ec2Error } from '../errors.ts';
import type { Ec2State } from '../state.ts';
import { applyFilters, type Filter, page } from './filters.ts';
import { read } from './permissions.ts';

interface ImagesInput {
  readonly ImageIds?: readonly string[];
  readonly Owners?: readonly string[];
  readonly Filters?: readonly Filter[];
  readonly NextToken?: string;
  readonly MaxResults?: number;
}

interface TypesInput {
  readonly InstanceTypes?: readonly string[];
  readonly Filters?: readonly Filter[];
  readonly NextToken?: string;
  readonly MaxResults?: number;
}

/** Images and instance types. */
export const catalogOperations = (ec2: Ec2State): Operations => ({
  DescribeImages: read('DescribeImages', (input: ImagesInput) => {
    const { items, ...next } = page(selectImages(ec2, input), input);
    return { Images: items.map(imageShape), ...next };
  }),
  DescribeInstanceTypes: read('DescribeInstanceTypes', (input: TypesInput) => {
    const { items, ...next } = page(selectTypes(input), input, 100);
    return { InstanceTypes: items.map(typeShape), ...next };
  }),
});

function selectImages(ec2: Ec2State, input: ImagesInput): Image[] {
  const ids = input.ImageIds ?? [];
  const missing = ids.find((id) => !ec2.images.has(id));
  if (missing !== undefined) throw ec2Error('InvalidAMIID.NotFound', `The image id '[${missing}]' does not exist`);
  const owners = input.Owners ?? [];
  const images = [...ec2.images.values()].filter(
    (image) =>
      (ids.length === 0 || ids.includes(image.imageId)) &&
      (owners.length === 0 || owners.includes(image.ownerId) || owners.includes(image.ownerAlias ?? '')),
  );
  const tagged = images.map((image) => ({ ...image, tags: {} }));
  return applyFilters(tagged, input.Filters, {
    architecture: (image) => image.architecture,
    'image-id': (image) => image.imageId,
    name: (image) => image.name,
    description: (image) => image.description,
    'owner-id': (image) => image.ownerId,
    'owner-alias': (image) => image.ownerAlias,
    'root-device-type': () => 'ebs',
    'root-device-name': (image) => image.rootDeviceName,
    'virtualization-type': () => 'hvm',
    state: () => 'available',
    'is-public': () => 'true',
  });
}

const imageShape = (image: Image) => ({
  ImageId: image.imageId,
  Name: image.name,
  Description: image.description,
  Architecture: image.architecture,
  OwnerId: image.ownerId,
  ...(image.ownerAlias === undefined ? {} : { ImageOwnerAlias: image.ownerAlias }),
  CreationDate: image.createdAt,
  ImageType: 'machine',
  PlatformDetails: image.platformDetails ?? 'Linux/UNIX',
  Public: true,
  State: 'available',
  RootDeviceName: image.rootDeviceName,
  RootDeviceType: 'ebs',
  VirtualizationType: 'hvm',
  Hypervisor: 'xen',
  BlockDeviceMappings: [
    {
      DeviceName: image.rootDeviceName,
      Ebs: { VolumeSize: image.rootVolumeSize, VolumeType: 'gp3', DeleteOnTermination: true, Encrypted: false },
    },
  ],
});

function selectTypes(input: TypesInput): InstanceType[] {
  const names = input.InstanceTypes ?? [];
  const unknown = names.filter((name) => !instanceTypes.has(name));
  if (unknown.length > 0)
    throw ec2Error(
      'InvalidInstanceType',
      `The following supplied instance types do not exist: [${unknown.join(', ')}]`,
    );
  const types = [...instanceTypes.values()].filter((type) => names.length === 0 || names.includes(type.name));
  const tagged = types.map((type) => ({ ...type, tags: {} }));
  return applyFilters(tagged, input.Filters, {
    'instance-type': (type) => type.name,
    'hibernation-supported': (type) => String(type.hibernation),
    'processor-info.supported-architecture': (type) => type.architecture,
    'current-generation': () => 'true',
  });
}

const typeShape = (type: InstanceType) => ({
  InstanceType: type.name,
  CurrentGeneration: true,
  BareMetal: false,
  Hypervisor: 'nitro',
  HibernationSupported: type.hibernation,
  BurstablePerformanceSupported: type.name.startsWith('t'),
  SupportedUsageClasses: ['on-demand', 'spot'],
  SupportedRootDeviceTypes: ['ebs'],
  SupportedVirtualizationTypes: ['hvm'],
  ProcessorInfo: { SupportedArchitectures: [type.architecture] },
  VCpuInfo: { DefaultVCpus: type.vcpus },
  MemoryInfo: { SizeInMiB: type.memoryMiB },
  InstanceStorageSupported: false,
});
