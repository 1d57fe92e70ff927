import { type AwsCalls, awsCode, explained } from '@drover/adapters/aws';
import { TerminalError } from '@drover/core';
import { discoveryTags, imagesObject } from '@drover/core/names/search-cluster';
import { imageToKeep, renamedGroup } from '@drover/search-cluster';
import { type CustomResourceEvent, property } from '../custom-resource.ts';

type Aws = Pick<AwsCalls, 'autoscaling' | 'ec2' | 's3' | 'ssm'>;

interface Cluster {
  readonly clusterName: string;
  readonly environment: string;
  readonly bucket: string;
}

/**
 * Behind `Custom::NodeImage`: the image of the nodes, resolved once for each `ami_release` and remembered in the state bucket, so that
 * deployments and roll-backs get the same one again. Every group is made after it, so it also stops a deployment that would rename groups.
 */
export async function nodeImage(aws: Aws, cluster: Cluster, event: CustomResourceEvent): Promise<string> {
  if (event.RequestType === 'Delete') return event.PhysicalResourceId!;
  await refuseOtherNames(aws, cluster, event);
  const given = event.ResourceProperties.ImageId as string | undefined;
  if (given !== undefined) return given;
  const parameter = property(event, 'Parameter');
  const release = (event.ResourceProperties.Release ?? '') as string;
  const images = await rememberedImages(aws, cluster.bucket);
  const key = `${parameter} ${release}`;
  const kept = imageToKeep({ release, remembered: images[key], running: await runningImages(aws, namesIn(event)) });
  const image = kept ?? (await currentImage(aws, parameter));
  if (images[key] === undefined) await remember(aws, cluster.bucket, { ...images, [key]: image });
  return image;
}

const namesIn = ({ ResourceProperties: { Groups } }: CustomResourceEvent) => Groups as readonly string[];

async function refuseOtherNames(aws: Aws, cluster: Cluster, event: CustomResourceEvent): Promise<void> {
  const others = event.ResourceProperties.OtherGroups as string[];
  const { AutoScalingGroups = [] } = await explained(aws, 'autoscaling')('DescribeAutoScalingGroups', {
    AutoScalingGroupNames: others,
  });
  const groups = AutoScalingGroups.map(({ AutoScalingGroupName, Tags = [] }) => ({
    groupName: AutoScalingGroupName!,
    tags: Object.fromEntries(Tags.map(({ Key, Value }) => [Key!, Value ?? ''])),
  }));
  const tags = {
    [discoveryTags.cluster]: cluster.clusterName,
    [discoveryTags.environment]: cluster.environment,
  };
  const group = renamedGroup(groups, tags);
  if (group === undefined) return;
  throw new TerminalError(
    `names_with_environment cannot be changed: the cluster has the group ${group}, and another name would replace every node of it`,
  );
}

async function runningImages(aws: Aws, groupNames: readonly string[]): Promise<readonly string[]> {
  const Filters = [{ Name: 'tag:aws:autoscaling:groupName', Values: [...groupNames] }];
  const { Reservations = [] } = await explained(aws, 'ec2')('DescribeInstances', { Filters });
  return Reservations.flatMap(({ Instances = [] }) => Instances.map(({ ImageId }) => ImageId!));
}

async function currentImage(aws: Aws, Name: string): Promise<string> {
  const { Parameter } = await explained(aws, 'ssm')('GetParameter', { Name });
  return Parameter!.Value!;
}

async function rememberedImages(aws: Aws, Bucket: string): Promise<Readonly<Record<string, string>>> {
  try {
    const { Body } = await explained(aws, 's3')('GetObject', { Bucket, Key: imagesObject });
    return JSON.parse(Body) as Record<string, string>;
  } catch (error) {
    if (awsCode(error) === 'NoSuchKey') return {};
    throw error;
  }
}

const remember = async (aws: Aws, Bucket: string, images: object) =>
  await explained(aws, 's3')('PutObject', {
    Bucket,
    Key: imagesObject,
    Body: JSON.stringify(images),
    ContentType: 'application/json',
  });
