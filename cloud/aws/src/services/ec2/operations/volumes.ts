import type { Operations } from '../../../account/service.ts';
import { ec2Error, missingParameter } from '../errors.ts';
import { tagList, type Volume, type VolumeModification, type VolumeShape } from '../model.ts';
import type { Ec2State } from '../state.ts';
import { applyFilters, type Filter, type FilterReaders, page } from './filters.ts';
import { onIds, read } from './permissions.ts';

interface DescribeInput {
  readonly VolumeIds?: readonly string[];
  readonly Filters?: readonly Filter[];
  readonly NextToken?: string;
  readonly MaxResults?: number;
}

interface ModifyInput {
  readonly VolumeId?: string;
  readonly Size?: number;
  readonly Iops?: number;
  readonly Throughput?: number;
}

/** Volumes are made and deleted with their instances; here they are described and modified. */
export const volumeOperations = (ec2: Ec2State): Operations => ({
  DescribeVolumes: read('DescribeVolumes', (input: DescribeInput) => {
    const { items, ...next } = page(applyFilters(select(ec2, input), input.Filters, volumeReaders), input, 500);
    return { Volumes: items.map(volumeShape), ...next };
  }),
  DescribeVolumesModifications: read('DescribeVolumesModifications', (input: DescribeInput) => {
    const modified = modifiedOnes(ec2, input);
    const { items, ...next } = page(applyFilters(modified, input.Filters, modificationReaders), input, 500);
    return { VolumesModifications: items.map((volume) => modificationShape(volume.id, volume.modification!)), ...next };
  }),
  ModifyVolume: {
    permissions: (input: ModifyInput) => onIds(ec2, 'ModifyVolume', [input.VolumeId ?? '']),
    run: ({ VolumeId, Size, Iops, Throughput }: ModifyInput) => {
      if (VolumeId === undefined) throw missingParameter('VolumeId');
      const volume = ec2.volumes.get(wellFormed(VolumeId));
      ec2.volumes.modify(volume, {
        ...(Size === undefined ? {} : { sizeGiB: Size }),
        ...(Iops === undefined ? {} : { iops: Iops }),
        ...(Throughput === undefined ? {} : { throughput: Throughput }),
      });
      return { VolumeModification: modificationShape(volume.id, volume.modification!) };
    },
  },
});

const wellFormed = (id: string) => {
  if (/^vol-[0-9a-f]{8}([0-9a-f]{9})?$/.test(id)) return id;
  throw ec2Error('InvalidParameterValue', `Value (${id}) for parameter volumeId is invalid. Expected: 'vol-...'.`);
};

function select(ec2: Ec2State, { VolumeIds = [], MaxResults }: DescribeInput): readonly Volume[] {
  if (VolumeIds.length > 0 && MaxResults !== undefined)
    throw ec2Error(
      'InvalidParameterCombination',
      'The parameter volumeSet cannot be used with the parameter maxResults',
    );
  if (VolumeIds.length > 0) return VolumeIds.map((id) => ec2.volumes.get(wellFormed(id)));
  return [...ec2.volumes.byId.values()];
}

/** "InvalidVolumeModification.NotFound" for an id that was never modified (API Reference, Error codes). */
function modifiedOnes(ec2: Ec2State, input: DescribeInput): readonly Volume[] {
  const volumes = select(ec2, input);
  const never = volumes.find(({ modification }) => modification === undefined);
  if (never !== undefined && input.VolumeIds !== undefined)
    throw ec2Error('InvalidVolumeModification.NotFound', `Modification for volume '${never.id}' does not exist.`);
  return volumes.filter(({ modification }) => modification !== undefined);
}

const volumeReaders: FilterReaders<Volume> = {
  'attachment.device': ({ attachment }) => attachment?.device,
  'attachment.instance-id': ({ attachment }) => attachment?.instanceId,
  'availability-zone': ({ zone }) => zone,
  size: ({ shape }) => String(shape.sizeGiB),
  status: (volume) => statusOf(volume),
  'volume-id': ({ id }) => id,
  'volume-type': ({ shape }) => shape.type,
};
const modificationReaders: FilterReaders<Volume> = {
  'modification-state': ({ modification }) => modification?.state,
  'target-size': ({ modification }) => String(modification?.target.sizeGiB),
  'volume-id': ({ id }) => id,
};

const statusOf = ({ attachment }: Volume) => (attachment === undefined ? 'available' : 'in-use');

const volumeShape = (volume: Volume) => ({
  VolumeId: volume.id,
  AvailabilityZone: volume.zone,
  CreateTime: new Date(volume.createdAt),
  Encrypted: volume.encrypted,
  Size: volume.shape.sizeGiB,
  VolumeType: volume.shape.type,
  Iops: volume.shape.iops,
  Throughput: volume.shape.throughput,
  State: statusOf(volume),
  Attachments:
    volume.attachment === undefined
      ? []
      : [
          {
            VolumeId: volume.id,
            InstanceId: volume.attachment.instanceId,
            Device: volume.attachment.device,
            State: 'attached',
            AttachTime: new Date(volume.createdAt),
            DeleteOnTermination: volume.attachment.deleteOnTermination,
          },
        ],
  Tags: tagList(volume.tags),
});

const modificationShape = (VolumeId: string, modification: VolumeModification) => ({
  VolumeId,
  ModificationState: modification.state,
  Progress: modification.progress,
  StartTime: new Date(modification.startedAt),
  ...(modification.endedAt === undefined ? {} : { EndTime: new Date(modification.endedAt) }),
  ...withPrefix('Original', modification.original),
  ...withPrefix('Target', modification.target),
});

const withPrefix = (prefix: 'Original' | 'Target', { sizeGiB, type, iops, throughput }: VolumeShape) => ({
  [`${prefix}Size`]: sizeGiB,
  [`${prefix}VolumeType`]: type,
  [`${prefix}Iops`]: iops,
  [`${prefix}Throughput`]: throughput,
});
