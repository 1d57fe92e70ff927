import type { Tag } from '@aws-sdk/client-ec2';
import { type Clock, TerminalError } from '@drover/core';
import { imageParameterName, imageTags } from '@drover/core/names/runner-fleet';
import type { ImageInstance, ImagePorts } from '@drover/runner-fleet';
import { instead } from '../../instead.ts';
import { awsCode, explained, hasCode } from '../calls/errors.ts';
import type { BakingGroup } from './baking-groups.ts';
import { type ImageAws, imageFacts } from './image-facts.ts';

/** The images of a group. */
export function groupImages(aws: ImageAws, group: BakingGroup, clock: Clock, say: (text: string) => void): ImagePorts {
  const calls: ImageAws = { ec2: explained(aws, 'ec2'), s3: explained(aws, 's3'), ssm: explained(aws, 'ssm') };
  const { baseImage, groupName, template } = group;
  return {
    clock,
    say,
    read: () => imageFacts(calls, group),
    launch: (bakeId) =>
      run(calls, group, {
        ImageId: baseImage,
        token: bakeId,
        own: { [imageTags.bake]: bakeId, [imageTags.template]: template.Version },
      }),
    launchTrial: ({ id, bakeId }) =>
      run(calls, group, { ImageId: id, token: `${bakeId}-trial`, own: { [imageTags.trial]: bakeId } }),
    createImage: (instance) => createImage(calls, group, instance),
    promote: async (imageId) => {
      const Tags = tagList({ [imageTags.promoted]: new Date(clock.now()).toISOString() });
      await calls.ec2('CreateTags', { Resources: [imageId], Tags });
      await setImage(calls, groupName, imageId);
    },
    terminate: async (id) => void (await gone(calls.ec2('TerminateInstances', { InstanceIds: [id] }))),
    deregister: async (ImageId) => void (await gone(calls.ec2('DeregisterImage', { ImageId }))),
    deleteSnapshot: async (SnapshotId) => void (await gone(calls.ec2('DeleteSnapshot', { SnapshotId }))),
  };
}

/** Removes something, or finds it gone. */
const gone = (work: Promise<unknown>) => work.catch(instead(hasCode(/\.NotFound$|\.Unavailable$/), undefined));

interface Launch {
  readonly ImageId: string;
  readonly token: string;
  readonly own: Readonly<Record<string, string>>;
}

const tagList = (tags: Readonly<Record<string, string>>): Tag[] =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

/** Never in the group, with a role of its own, and stopped when its system powers off. A subnet without capacity leaves it to the next. */
async function run(aws: ImageAws, group: BakingGroup, { ImageId, token, own }: Launch): Promise<string> {
  const { groupName, template, profile, subnetIds } = group;
  const Tags = [...group.tags, ...tagList({ Name: `${groupName}-image`, [imageTags.imageOf]: groupName, ...own })];
  const launch = async (SubnetId: string, place: number) => {
    const { Instances } = await aws.ec2('RunInstances', {
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
    });
    return Instances?.[0]?.InstanceId ?? '';
  };
  for (const [place, subnetId] of subnetIds.entries())
    try {
      return await launch(subnetId, place);
    } catch (error) {
      if (awsCode(error) !== 'InsufficientInstanceCapacity' || place === subnetIds.length - 1) throw error;
    }
  throw new TerminalError(`${groupName} has no subnet`, { remedy: 'deploy its stack again' });
}

/** By its name it is made once. */
async function createImage(aws: ImageAws, group: BakingGroup, instance: ImageInstance): Promise<void> {
  const { groupName } = group;
  // A deployment may have brought another one meanwhile.
  const baseImage = instance.image ?? group.baseImage;
  const { manifest } = instance.report ?? {};
  const runner = manifest?.runner?.version;
  const tags = {
    Name: `${groupName}-image`,
    [imageTags.imageOf]: groupName,
    [imageTags.bake]: instance.bakeId,
    [imageTags.baseImage]: baseImage,
    [imageTags.manifest]: await checksum(manifest),
    ...(instance.template === undefined ? {} : { [imageTags.template]: instance.template }),
    ...(runner === undefined ? {} : { [imageTags.runner]: runner }),
  };
  const made = aws.ec2('CreateImage', {
    InstanceId: instance.id,
    Name: `drover-${groupName}-${instance.bakeId}`,
    Description: `runners of ${groupName}, made of ${baseImage}`,
    TagSpecifications: (['image', 'snapshot'] as const).map((ResourceType) => ({ ResourceType, Tags: tagList(tags) })),
  });
  await made.catch(instead(hasCode(/^InvalidAMIName\.Duplicate$/), undefined));
}

async function checksum(manifest: unknown): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(manifest ?? null));
  const digest = await crypto.subtle.digest('SHA-256', text);
  return Buffer.from(digest).toString('hex');
}

/** Terminates the instances of a group's bakes; images stay. Returns the ids of those that are not gone yet. */
export async function endBakes(aws: Pick<ImageAws, 'ec2'>, groupName: string): Promise<readonly string[]> {
  const Filters = [
    { Name: `tag:${imageTags.imageOf}`, Values: [groupName] },
    { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped', 'shutting-down'] },
  ];
  const { Reservations = [] } = await explained(aws, 'ec2')('DescribeInstances', { Filters });
  const ids = Reservations.flatMap(({ Instances = [] }) => Instances.flatMap(({ InstanceId }) => InstanceId ?? []));
  if (ids.length > 0) await explained(aws, 'ec2')('TerminateInstances', { InstanceIds: ids });
  return ids;
}

/** Has new instances take an image. Systems Manager looks at the image after its response: the parameter changes a moment later, or not. */
export async function setImage(aws: Pick<ImageAws, 'ssm'>, groupName: string, imageId: string): Promise<void> {
  await aws.ssm('PutParameter', {
    Name: imageParameterName(groupName),
    Value: imageId,
    Type: 'String',
    DataType: 'aws:ec2:image',
    Overwrite: true,
  });
}
