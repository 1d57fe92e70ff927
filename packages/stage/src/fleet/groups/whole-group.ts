import type { ActivityView, GroupView, MemberView, Observation } from '@drover/cloud-world';
import { fallbackGroupName } from '@drover/core/names/runner-fleet';

/** A group with its on-demand fallback, as the fleet counts them: together. The limits are the group's. */
export function wholeGroup(observe: Pick<Observation, 'group'>, name: string): GroupView | undefined {
  const main = observe.group(name);
  const fallback = observe.group(fallbackGroupName(name));
  if (main === undefined || fallback === undefined) return main;
  // Each has versions of its own launch template.
  const inFallback = (member: MemberView): MemberView => ({
    ...member,
    template: isCurrent(member, fallback)
      ? main.source.template
      : { version: `${member.template.version} of the fallback` },
  });
  const members = [...fallback.members].map(([id, member]) => [id, inFallback(member)] as const);
  return {
    name,
    minSize: main.minSize,
    maxSize: main.maxSize,
    desiredCapacity: main.desiredCapacity + fallback.desiredCapacity,
    zones: main.zones,
    tags: main.tags,
    members: new Map([...main.members, ...members]),
    activities: [...main.activities, ...fallback.activities].sort(byStart),
    suspended: main.suspended,
    warmPool: main.warmPool,
    source: main.source,
  };
}

const isCurrent = ({ template }: MemberView, { source }: GroupView) => template.version === source.template.version;
const byStart = (a: ActivityView, b: ActivityView) => a.startTime - b.startTime;

/** The group that an instance counts to: a fallback is a part of the group that it stands in for. */
export const wholeGroupName = (name: string, groupNames: readonly string[]): string =>
  groupNames.find((each) => fallbackGroupName(each) === name) ?? name;
