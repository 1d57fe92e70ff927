import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import { fallbackGroupName, tags } from '@drover/core/names/runner-fleet';
import type { GroupFacts, GroupReader } from '@drover/runner-fleet';
import type { AwsCalls } from '../calls/calls.ts';
import { groupFacts, type KnownGroups } from '../group.ts';

type Aws = Pick<AwsCalls, 'autoscaling'>;

/**
 * A group and its on-demand fallback, read as one. Another fleet could have a group of that name: the tag says of which group it is the
 * fallback.
 */
export function groupWithFallback(
  aws: Aws,
  groupName: string,
): { readonly group: GroupReader; readonly groups: KnownGroups } {
  const fallbackName = fallbackGroupName(groupName);
  let members: ReadonlySet<string> | undefined;
  return {
    group: {
      async read() {
        const { AutoScalingGroups = [] } = await aws.autoscaling('DescribeAutoScalingGroups', {
          AutoScalingGroupNames: [groupName, fallbackName],
        });
        const main = await groupFacts(
          aws,
          groupName,
          AutoScalingGroups.find((each) => each.AutoScalingGroupName === groupName),
        );
        const found = AutoScalingGroups.find((each) => isFallbackOf(each, groupName));
        if (found === undefined) {
          members = undefined;
          return main;
        }
        const fallback = await groupFacts(aws, fallbackName, found);
        members = new Set(fallback.instances.map(({ id }) => id));
        return together(main, fallback);
      },
    },
    groups: {
      get names() {
        return members === undefined ? [groupName] : [groupName, fallbackName];
      },
      of: (instanceId) => (members?.has(instanceId) === true ? fallbackName : groupName),
    },
  };
}

export const isFallbackOf = ({ AutoScalingGroupName, Tags = [] }: AutoScalingGroup, groupName: string): boolean =>
  AutoScalingGroupName === fallbackGroupName(groupName) &&
  Tags.some(({ Key, Value }) => Key === tags.fallbackOf && Value === groupName);

/** The limits are the group's: both together have no more than its maximum. */
function together(main: GroupFacts, fallback: GroupFacts): GroupFacts {
  const { launchTemplateVersion: current } = fallback;
  const members = fallback.instances.map(({ launchTemplateVersion: own, ...instance }) => ({
    ...instance,
    isFallback: true,
    ...versionAsMain(main.launchTemplateVersion, own, current),
  }));
  return {
    ...main,
    desiredCapacity: main.desiredCapacity + fallback.desiredCapacity,
    fallback: { desiredCapacity: fallback.desiredCapacity, maxSize: fallback.maxSize },
    instances: [...main.instances, ...members],
    suspendedProcesses: (main.suspendedProcesses ?? []).filter((each) => fallback.suspendedProcesses?.includes(each)),
  };
}

/** Each of the groups has a launch template of its own, whose versions are counted apart: what matters is which one is current. */
function versionAsMain(ofMain: string | undefined, own: string | undefined, current: string | undefined) {
  if (ofMain === undefined || own === undefined || current === undefined) return {};
  return { launchTemplateVersion: own === current ? ofMain : `${own} of the fallback` };
}
