import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import { defaultType, imageTags, tags as keys, typeGroupName } from '@drover/core/names/runner-fleet';
import type { AwsCalls } from '../calls/calls.ts';
import { pages } from '../calls/pages.ts';

type Aws = Pick<AwsCalls, 'autoscaling'>;

/** A group as the launches of a bake need to know it. */
export interface BakingGroup {
  readonly groupName: string;
  readonly bucket: string;
  readonly baseImage: string;
  readonly profile: string;
  readonly template: { readonly LaunchTemplateId: string; readonly Version: string };
  readonly subnetIds: readonly string[];
  /** The tags that the group gives its instances. */
  readonly tags: readonly { readonly Key?: string | undefined; readonly Value?: string | undefined }[];
  /** Its architecture is not the fleet's. */
  readonly otherArchitecture: boolean;
  /** It may have an instance: one that may not is being taken down. */
  readonly mayLaunch: boolean;
}

/** A page has up to 100 groups. */
const mostPages = 5;

/** A group with `baked_image`; undefined if it was not deployed with it. */
export async function bakingGroup(aws: Aws, groupName: string, bucket: string): Promise<BakingGroup | undefined> {
  const { AutoScalingGroups = [] } = await aws.autoscaling('DescribeAutoScalingGroups', {
    AutoScalingGroupNames: [groupName],
  });
  return asBaking(AutoScalingGroups[0], bucket);
}

/** Those of a fleet, by the names of their types. */
export async function bakingGroups(
  aws: Aws,
  { fleet, hasTypes, bucket }: { readonly fleet: string; readonly hasTypes: boolean; readonly bucket: string },
): Promise<readonly (readonly [type: string, BakingGroup])[]> {
  const ofDefault = await bakingGroup(aws, fleet, bucket);
  const found: (readonly [string, BakingGroup])[] = ofDefault === undefined ? [] : [[defaultType, ofDefault]];
  if (!hasTypes) return found;
  const input = { Filters: [{ Name: `tag:${keys.fleet}`, Values: [fleet] }], MaxRecords: 100 };
  const ask = (next: object) => aws.autoscaling('DescribeAutoScalingGroups', { ...input, ...next });
  for await (const { AutoScalingGroups = [] } of pages(ask, mostPages))
    for (const group of AutoScalingGroups) {
      const type = group.Tags?.find(({ Key }) => Key === keys.type)?.Value;
      const baking = asBaking(group, bucket);
      // A group that is tagged and not named as one of them is not the fleet's; an on-demand fallback has the image of its group.
      if (type !== undefined && baking?.groupName === typeGroupName(fleet, type)) found.push([type, baking]);
    }
  return found;
}

function asBaking(group: AutoScalingGroup | undefined, bucket: string): BakingGroup | undefined {
  const all = group?.Tags ?? [];
  const tag = (key: string) => all.find(({ Key }) => Key === key)?.Value;
  const [baseImage, profile] = [tag(imageTags.baseImage), tag(imageTags.bakeProfile)];
  const { LaunchTemplateId, Version } =
    group?.LaunchTemplate ?? group?.MixedInstancesPolicy?.LaunchTemplate?.LaunchTemplateSpecification ?? {};
  if (baseImage === undefined || profile === undefined || LaunchTemplateId === undefined) return undefined;
  return {
    groupName: group?.AutoScalingGroupName ?? '',
    bucket,
    baseImage,
    profile,
    template: { LaunchTemplateId, Version: Version ?? '$Latest' },
    subnetIds: (group?.VPCZoneIdentifier ?? '').split(',').filter((id) => id !== ''),
    tags: all.flatMap(({ Key, Value, PropagateAtLaunch }) =>
      PropagateAtLaunch === true && Key !== 'Name' ? [{ Key, Value }] : [],
    ),
    otherArchitecture: tag(keys.architecture) !== undefined,
    mayLaunch: group?.MaxSize !== 0,
  };
}
