import type { VolumeModification as Ec2Modification } from '@aws-sdk/client-ec2';
import { dataDevice } from '@drover/core/names/search-cluster';
import type { DataVolume, VolumeModification } from '@drover/search-cluster';
import type { DataVolumes } from '@drover/search-cluster/ports';
import type { AwsCalls } from './calls/calls.ts';
import { explained, hasCode } from './calls/errors.ts';
import { pages } from './calls/pages.ts';

type Aws = Pick<AwsCalls, 'ec2'>;

/** EC2 takes at most 200 values in a filter. */
const batchSize = 200;
const mostPages = 20;

/** It has been modified four times within a day, or a modification goes on: the message says which, and until when. */
const comesTooSoon = hasCode(/^(VolumeModificationRateExceeded|IncorrectModificationState)$/);

/** The volumes for data of instances, by the device of their attachment. */
export const dataVolumes = (aws: Aws): DataVolumes => ({
  of: async (instanceIds) => {
    const found: Omit<DataVolume, 'modification'>[] = [];
    for (let at = 0; at < instanceIds.length; at += batchSize)
      found.push(...(await attached(aws, instanceIds.slice(at, at + batchSize))));
    const modified = await modifications(aws, found);
    return found.map((volume) => ({ ...volume, modification: modified.get(volume.volumeId) }));
  },
  grow: async (VolumeId, Size) =>
    await explained(aws, 'ec2')('ModifyVolume', { VolumeId, Size }).then(
      () => ({}),
      (error: unknown) => {
        if (!comesTooSoon(error)) throw error;
        return { notNow: (error as Error).message };
      },
    ),
});

async function attached(aws: Aws, instanceIds: readonly string[]): Promise<Omit<DataVolume, 'modification'>[]> {
  const Filters = [
    { Name: 'attachment.instance-id', Values: [...instanceIds] },
    { Name: 'attachment.device', Values: [dataDevice] },
  ];
  const ask = (next: object) => explained(aws, 'ec2')('DescribeVolumes', { Filters, ...next });
  const found: Omit<DataVolume, 'modification'>[] = [];
  for await (const { Volumes = [] } of pages(ask, mostPages))
    for (const { VolumeId, Size, Attachments } of Volumes)
      found.push({ volumeId: VolumeId!, sizeGiB: Size!, instanceId: Attachments![0]!.InstanceId! });
  return found;
}

/** By filter and not by id: EC2 refuses the whole call for a volume that was never modified. */
async function modifications(
  aws: Aws,
  volumes: readonly Pick<DataVolume, 'volumeId'>[],
): Promise<ReadonlyMap<string, VolumeModification>> {
  const found = new Map<string, VolumeModification>();
  for (let at = 0; at < volumes.length; at += batchSize) {
    const Values = volumes.slice(at, at + batchSize).map(({ volumeId }) => volumeId);
    const Filters = [{ Name: 'volume-id', Values }];
    const ask = (next: object) => explained(aws, 'ec2')('DescribeVolumesModifications', { Filters, ...next });
    for await (const { VolumesModifications = [] } of pages(ask, mostPages))
      for (const one of VolumesModifications) found.set(one.VolumeId!, modificationOf(one));
  }
  return found;
}

const modificationOf = ({
  ModificationState,
  TargetSize,
  StartTime,
  Progress,
}: Ec2Modification): VolumeModification => ({
  state: ModificationState ?? 'completed',
  targetGiB: TargetSize ?? 0,
  startedAt: StartTime?.getTime() ?? 0,
  progressPercent: Number(Progress ?? 0),
});
