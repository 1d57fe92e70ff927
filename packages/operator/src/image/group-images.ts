import {
  CreateImageCommand,
  CreateTagsCommand,
  DeleteSnapshotCommand,
  DeregisterImageCommand,
  DescribeImagesCommand,
  DescribeInstancesCommand,
  DescribeSnapshotsCommand,
  type Filter,
  type Instance,
  RunInstancesCommand,
  type Tag,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { GetParameterCommand, PutParameterCommand } from '@aws-sdk/client-ssm';
import { type Clock, TerminalError } from '@drover/core';
import { imageParameterName, imageReportKey, tags as tagKeys } from '@drover/core/names/runner-fleet';
import type { GroupImage, ImageFacts, ImageInstance, ImagePorts, ImageReport } from '@drover/runner-fleet';
import type { OpenGroup } from '../fleet/open-fleet.ts';
import { describeGroups } from '../groups.ts';
import type { OperatorClients } from '../io.ts';

/** A group as the launches of a bake need to know it. */
interface BakingGroup {
  readonly groupName: string;
  readonly bucket: string;
  readonly baseImage: string;
  readonly profile: string;
  readonly template: { readonly LaunchTemplateId: string; readonly Version: string };
  readonly subnetIds: readonly string[];
  /** The tags that the group gives its instances. */
  readonly tags: readonly Tag[];
}

/** The images of a group, with the operator's credentials. */
export async function groupImages(
  { aws, groupName, config }: OpenGroup,
  clock: Clock,
  say: (text: string) => void,
): Promise<ImagePorts & Pick<BakingGroup, 'baseImage'>> {
  const group = await bakingGroup(aws, groupName, config.memory.bucket);
  return {
    baseImage: group.baseImage,
    clock,
    say,
    read: () => readFacts(aws, group),
    launch: (bakeId) => run(aws, group, { ImageId: group.baseImage, token: bakeId, own: { [tagKeys.bake]: bakeId } }),
    launchTrial: ({ id, bakeId }) =>
      run(aws, group, { ImageId: id, token: `${bakeId}-trial`, own: { [tagKeys.trial]: bakeId } }),
    createImage: (instance) => createImage(aws, group, instance),
    promote: async (imageId) => {
      const Tags = tagList({ [tagKeys.promoted]: new Date(clock.now()).toISOString() });
      await aws.ec2.send(new CreateTagsCommand({ Resources: [imageId], Tags }));
      await setImage(aws, groupName, imageId);
    },
    terminate: async (id) => {
      await gone(aws.ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] })));
    },
    deregister: async (ImageId) => {
      await gone(aws.ec2.send(new DeregisterImageCommand({ ImageId })));
    },
    deleteSnapshot: async (SnapshotId) => {
      await gone(aws.ec2.send(new DeleteSnapshotCommand({ SnapshotId })));
    },
  };
}

/** Removes something, or finds it gone. */
const gone = (work: Promise<unknown>) =>
  work.catch((error: Error) => {
    if (!/\.NotFound$|\.Unavailable$/.test(error.name)) throw error;
  });

async function bakingGroup(aws: OperatorClients, groupName: string, bucket: string): Promise<BakingGroup> {
  const [group] = await describeGroups(aws.autoscaling, groupName);
  const all = group?.Tags ?? [];
  const tag = (key: string) => all.find(({ Key }) => Key === key)?.Value;
  const [baseImage, profile] = [tag(tagKeys.baseImage), tag(tagKeys.bakeProfile)];
  const { LaunchTemplateId, Version } =
    group?.LaunchTemplate ?? group?.MixedInstancesPolicy?.LaunchTemplate?.LaunchTemplateSpecification ?? {};
  if (baseImage === undefined || profile === undefined || LaunchTemplateId === undefined)
    throw new TerminalError(`${groupName} was not deployed with baked_image`, {
      remedy: 'set baked_image: true and deploy the stack, then run this again',
    });
  return {
    groupName,
    bucket,
    baseImage,
    profile,
    template: { LaunchTemplateId, Version: Version ?? '$Latest' },
    subnetIds: (group?.VPCZoneIdentifier ?? '').split(',').filter((id) => id !== ''),
    tags: all.flatMap(({ Key, Value, PropagateAtLaunch }) =>
      PropagateAtLaunch === true && Key !== 'Name' ? [{ Key, Value }] : [],
    ),
  };
}

interface Launch {
  readonly ImageId: string;
  readonly token: string;
  readonly own: Readonly<Record<string, string>>;
}

const tagList = (tags: Readonly<Record<string, string>>): Tag[] =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

/** Never in the group, with a role of its own, and stopped when its system powers off. A subnet without capacity leaves it to the next. */
async function run(aws: OperatorClients, group: BakingGroup, { ImageId, token, own }: Launch): Promise<string> {
  const { groupName, template, profile, subnetIds } = group;
  const Tags = [...group.tags, ...tagList({ Name: `${groupName}-image`, [tagKeys.imageOf]: groupName, ...own })];
  const launch = async (SubnetId: string, place: number) => {
    const { Instances } = await aws.ec2.send(
      new RunInstancesCommand({
        // A repeated request with the same token launches no second instance.
        ClientToken: `drover-${groupName}-${token}-${place}`.slice(-64),
        LaunchTemplate: template,
        ImageId,
        SubnetId,
        MinCount: 1,
        MaxCount: 1,
        IamInstanceProfile: { Name: profile },
        MetadataOptions: {
          HttpTokens: 'required',
          HttpEndpoint: 'enabled',
          HttpPutResponseHopLimit: 1,
          InstanceMetadataTags: 'enabled',
        },
        InstanceInitiatedShutdownBehavior: 'stop',
        // EC2 makes no image of an instance that can hibernate.
        HibernationOptions: { Configured: false },
        TagSpecifications: (['instance', 'volume', 'network-interface'] as const).map((ResourceType) => ({
          ResourceType,
          Tags,
        })),
      }),
    );
    return Instances?.[0]?.InstanceId ?? '';
  };
  for (const [place, subnetId] of subnetIds.entries())
    try {
      return await launch(subnetId, place);
    } catch (error) {
      if ((error as Error).name !== 'InsufficientInstanceCapacity' || place === subnetIds.length - 1) throw error;
    }
  throw new TerminalError(`${groupName} has no subnet`, { remedy: 'deploy its stack again' });
}

/** By its name it is made once. */
async function createImage(aws: OperatorClients, group: BakingGroup, instance: ImageInstance): Promise<void> {
  const { groupName, baseImage } = group;
  const tags = {
    Name: `${groupName}-image`,
    [tagKeys.imageOf]: groupName,
    [tagKeys.bake]: instance.bakeId,
    [tagKeys.baseImage]: baseImage,
    [tagKeys.manifest]: await checksum(instance.report?.manifest),
  };
  const command = new CreateImageCommand({
    InstanceId: instance.id,
    Name: `drover-${groupName}-${instance.bakeId}`,
    Description: `runners of ${groupName}, made of ${baseImage}`,
    TagSpecifications: (['image', 'snapshot'] as const).map((ResourceType) => ({ ResourceType, Tags: tagList(tags) })),
  });
  await aws.ec2.send(command).catch((error: Error) => {
    if (error.name !== 'InvalidAMIName.Duplicate') throw error;
  });
}

async function checksum(manifest: unknown): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(manifest ?? null));
  const digest = await crypto.subtle.digest('SHA-256', text);
  return Buffer.from(digest).toString('hex');
}

/** Has new instances take an image. Systems Manager looks at the image after its response: the parameter changes a moment later, or not. */
export async function setImage(aws: OperatorClients, groupName: string, imageId: string): Promise<void> {
  await aws.ssm.send(
    new PutParameterCommand({
      Name: imageParameterName(groupName),
      Value: imageId,
      Type: 'String',
      DataType: 'aws:ec2:image',
      Overwrite: true,
    }),
  );
}

async function readFacts(aws: OperatorClients, group: BakingGroup): Promise<ImageFacts> {
  const { groupName } = group;
  const Filters = [{ Name: `tag:${tagKeys.imageOf}`, Values: [groupName] }];
  // Instances first: a bake that they show is not taken for one that is over because its image is read before.
  const instances = await readInstances(aws, group, Filters);
  const { Images = [] } = await aws.ec2.send(new DescribeImagesCommand({ Owners: ['self'], Filters }));
  const { Snapshots = [] } = await aws.ec2.send(new DescribeSnapshotsCommand({ OwnerIds: ['self'], Filters }));
  const { Parameter } = await aws.ssm.send(new GetParameterCommand({ Name: imageParameterName(groupName) }));
  const images = Images.map((image): GroupImage => {
    const tag = tagReader(image.Tags);
    const promoted = tag(tagKeys.promoted);
    return {
      id: image.ImageId ?? '',
      bakeId: tag(tagKeys.bake) ?? '',
      state: image.State === 'available' || image.State === 'pending' ? image.State : 'failed',
      createdAt: Date.parse(image.CreationDate ?? ''),
      baseImage: tag(tagKeys.baseImage) ?? '',
      ...(promoted === undefined ? {} : { promotedAt: Date.parse(promoted) }),
    };
  });
  return {
    instances,
    images,
    snapshots: Snapshots.map(({ SnapshotId = '', Tags }) => ({
      id: SnapshotId,
      bakeId: tagReader(Tags)(tagKeys.bake) ?? '',
    })),
    current: Parameter?.Value ?? '',
    inUse: images.length === 0 ? [] : await imagesInUse(aws, images),
  };
}

const tagReader =
  (tags: readonly Tag[] = []) =>
  (key: string) =>
    tags.find(({ Key }) => Key === key)?.Value;

async function readInstances(aws: OperatorClients, group: BakingGroup, filters: Filter[]): Promise<ImageInstance[]> {
  const found = await instancesWith(aws, filters);
  return await Promise.all(
    found.flatMap((instance) => {
      const tag = tagReader(instance.Tags);
      const [baked, tried] = [tag(tagKeys.bake), tag(tagKeys.trial)];
      const bakeId = baked ?? tried;
      if (bakeId === undefined) return [];
      const state = (instance.State?.Name ?? 'pending') as ImageInstance['state'];
      return [
        (async () => {
          const report = await readReport(aws, group.bucket, imageReportKey(bakeId, instance.InstanceId ?? ''));
          return {
            id: instance.InstanceId ?? '',
            purpose: baked === undefined ? ('trial' as const) : ('bake' as const),
            bakeId,
            state,
            launchedAt: instance.LaunchTime?.getTime() ?? 0,
            ...(instance.StateReason?.Message === undefined ? {} : { stateReason: instance.StateReason.Message }),
            ...(report === undefined ? {} : { report }),
          };
        })(),
      ];
    }),
  );
}

async function readReport(aws: OperatorClients, Bucket: string, Key: string): Promise<ImageReport | undefined> {
  try {
    const { Body } = await aws.s3.send(new GetObjectCommand({ Bucket, Key }));
    return JSON.parse((await Body?.transformToString()) ?? '{}') as ImageReport;
  } catch (error) {
    if ((error as Error).name === 'NoSuchKey') return undefined;
    throw error;
  }
}

/** Images that an instance has which neither bakes nor tries one. */
async function imagesInUse(aws: OperatorClients, images: readonly GroupImage[]): Promise<string[]> {
  const live = { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped'] };
  const found = await instancesWith(aws, [{ Name: 'image-id', Values: images.map(({ id }) => id) }, live]);
  const serving = found.filter(({ Tags }) => tagReader(Tags)(tagKeys.imageOf) === undefined);
  return [...new Set(serving.map(({ ImageId = '' }) => ImageId))];
}

async function instancesWith(aws: OperatorClients, Filters: Filter[]): Promise<Instance[]> {
  const found: Instance[] = [];
  for (let NextToken: string | undefined; ; ) {
    const page = await aws.ec2.send(
      new DescribeInstancesCommand({ Filters, ...(NextToken === undefined ? {} : { NextToken }) }),
    );
    found.push(...(page.Reservations ?? []).flatMap(({ Instances }) => Instances ?? []));
    if (page.NextToken === undefined) return found;
    NextToken = page.NextToken;
  }
}
