import type { Filter, Instance, Tag } from '@aws-sdk/client-ec2';
import { imageParameterName, imageReportKey, imageTags } from '@drover/core/names/runner-fleet';
import type { GroupImage, ImageFacts, ImageInstance, ImageReport } from '@drover/runner-fleet';
import type { AwsCalls } from '../calls/calls.ts';
import { pages } from '../calls/pages.ts';
import { jsonObject } from '../stored-objects.ts';
import type { BakingGroup } from './baking-groups.ts';

export type ImageAws = Pick<AwsCalls, 'ec2' | 's3' | 'ssm'>;

/** A page of `DescribeInstances` has up to 1000. */
const mostPages = 20;

/** Everything that is known of a group's images. */
export async function imageFacts(aws: ImageAws, group: BakingGroup): Promise<ImageFacts> {
  const { groupName } = group;
  const Filters = [{ Name: `tag:${imageTags.imageOf}`, Values: [groupName] }];
  // Instances first: a bake that they show is not taken for one that is over because its image is read before.
  const instances = await readInstances(aws, group, Filters);
  const { Images = [] } = await aws.ec2('DescribeImages', { Owners: ['self'], Filters });
  const { Snapshots = [] } = await aws.ec2('DescribeSnapshots', { OwnerIds: ['self'], Filters });
  const { Parameter } = await aws.ssm('GetParameter', { Name: imageParameterName(groupName) });
  const images = Images.map((image): GroupImage => {
    const tag = tagReader(image.Tags);
    const [promoted, template, runner] = [tag(imageTags.promoted), tag(imageTags.template), tag(imageTags.runner)];
    return {
      id: image.ImageId ?? '',
      bakeId: tag(imageTags.bake) ?? '',
      state: image.State === 'available' || image.State === 'pending' ? image.State : 'failed',
      createdAt: Date.parse(image.CreationDate ?? ''),
      baseImage: tag(imageTags.baseImage) ?? '',
      ...(promoted === undefined ? {} : { promotedAt: Date.parse(promoted) }),
      ...(template === undefined ? {} : { template }),
      ...(runner === undefined ? {} : { runner }),
    };
  });
  return {
    instances,
    images,
    snapshots: Snapshots.map(({ SnapshotId = '', Tags }) => ({
      id: SnapshotId,
      bakeId: tagReader(Tags)(imageTags.bake) ?? '',
    })),
    current: Parameter?.Value ?? '',
    inUse: images.length === 0 ? [] : await imagesInUse(aws, images),
  };
}

const tagReader =
  (tags: readonly Tag[] = []) =>
  (key: string) =>
    tags.find(({ Key }) => Key === key)?.Value;

async function readInstances(aws: ImageAws, group: BakingGroup, filters: Filter[]): Promise<ImageInstance[]> {
  const found = await instancesWith(aws, filters);
  return await Promise.all(
    found.flatMap((instance) => {
      const tag = tagReader(instance.Tags);
      const [baked, tried, template] = [tag(imageTags.bake), tag(imageTags.trial), tag(imageTags.template)];
      const bakeId = baked ?? tried;
      if (bakeId === undefined) return [];
      const id = instance.InstanceId ?? '';
      return [
        (async () => {
          const report = await jsonObject<ImageReport>(aws, group.bucket, imageReportKey(bakeId, id)).read();
          return {
            id,
            purpose: baked === undefined ? ('trial' as const) : ('bake' as const),
            bakeId,
            state: (instance.State?.Name ?? 'pending') as ImageInstance['state'],
            launchedAt: instance.LaunchTime?.getTime() ?? 0,
            ...(instance.StateReason?.Message === undefined ? {} : { stateReason: instance.StateReason.Message }),
            ...(report === undefined ? {} : { report }),
            ...(instance.ImageId === undefined ? {} : { image: instance.ImageId }),
            ...(template === undefined ? {} : { template }),
          };
        })(),
      ];
    }),
  );
}

/** Images that an instance has which neither bakes nor tries one. */
async function imagesInUse(aws: ImageAws, images: readonly GroupImage[]): Promise<string[]> {
  const live = { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped'] };
  const found = await instancesWith(aws, [{ Name: 'image-id', Values: images.map(({ id }) => id) }, live]);
  const serving = found.filter(({ Tags }) => tagReader(Tags)(imageTags.imageOf) === undefined);
  return [...new Set(serving.map(({ ImageId = '' }) => ImageId))];
}

async function instancesWith(aws: ImageAws, Filters: Filter[]): Promise<Instance[]> {
  const found: Instance[] = [];
  const ask = (next: object) => aws.ec2('DescribeInstances', { Filters, ...next });
  for await (const { Reservations = [] } of pages(ask, mostPages))
    found.push(...Reservations.flatMap(({ Instances }) => Instances ?? []));
  return found;
}
