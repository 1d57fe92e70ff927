import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import { tags as keys, typeGroupName } from '@drover/core/names/runner-fleet';
import type { RunnerType } from '@drover/runner-fleet';
import type { AwsCalls } from './calls/calls.ts';
import { pages } from './calls/pages.ts';

/** A page has up to 100 groups. */
const mostPages = 5;

/** The types of a fleet, by the tags of their groups. A group that is tagged and not named as one of them is not the fleet's. */
export async function runnerTypes(aws: Pick<AwsCalls, 'autoscaling'>, fleet: string): Promise<readonly RunnerType[]> {
  const found: RunnerType[] = [];
  const input = { Filters: [{ Name: `tag:${keys.fleet}`, Values: [fleet] }], MaxRecords: 100 };
  const ask = (next: object) => aws.autoscaling('DescribeAutoScalingGroups', { ...input, ...next });
  for await (const { AutoScalingGroups = [] } of pages(ask, mostPages))
    found.push(...AutoScalingGroups.flatMap((group) => typeOf(group, fleet) ?? []));
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function typeOf(
  { AutoScalingGroupName: groupName, Tags = [] }: AutoScalingGroup,
  fleet: string,
): RunnerType | undefined {
  const tags = new Map(Tags.map(({ Key, Value = '' }) => [Key, Value]));
  const name = tags.get(keys.type);
  if (name === undefined || groupName === undefined || groupName !== typeGroupName(fleet, name)) return undefined;
  const labels = (tags.get(keys.labels) ?? '').split(' ').filter((label) => label !== '');
  const idleTarget = Number(tags.get(keys.idleTarget) ?? 0);
  const runnerGroup = tags.get(keys.runnerGroup);
  return {
    name,
    groupName,
    labels: labels.includes(groupName) ? labels : [groupName, ...labels],
    idleTarget: Number.isInteger(idleTarget) && idleTarget >= 0 ? idleTarget : 0,
    ...(runnerGroup === undefined ? {} : { runnerGroup }),
    ...(tags.get(keys.rerunInterrupted) === 'true' ? { rerunsInterrupted: true } : {}),
    otherArchitecture: tags.has(keys.architecture),
  };
}
