import { listed } from '../render/short.ts';
import { duration } from '../render/table.ts';
import { notice, type Outcome, ok, problem } from './findings.ts';
import type { FailedLaunch, GroupFacts } from './group-facts.ts';

/** Neither leaving nor in the warm pool. */
export const stays = ({ state }: { readonly state: string }): boolean =>
  !/^(Terminating|Terminated|Warmed:)/.test(state);
export const isInService = ({ state }: { readonly state: string }): boolean => state === 'InService';

/** How many instances the group should have and has not, also none that boots. */
export const missingIn = ({ desired, members }: GroupFacts): number =>
  Math.max(0, desired - members.filter(stays).length);

/** The words of EC2 for missing capacity of on-demand and of spot instances. */
const noCapacity = /sufficient.*capacity|no spot capacity|UnfulfillableCapacity/i;
export const isWithoutCapacity = ({ reason }: Pick<FailedLaunch, 'reason'>): boolean => noCapacity.test(reason);

const fixes: readonly (readonly [RegExp, string])[] = [
  [noCapacity, 'wait; or give several instance types, or subnets in more zones, and deploy'],
  [
    /spot instance count/i,
    'ask for a higher quota of EC2 in this account (Service Quotas, "Spot Instance Requests" of the family of the instance types)',
  ],
  [
    /vCPU|limit|quota/i,
    'ask for a higher quota of EC2 in this account (Service Quotas, "Running On-Demand instances")',
  ],
  [/KMS|encrypt/i, 'let the service role of Auto Scaling use the key of the volumes: docs/how-to/authentication.md'],
  [/abandon|lifecycle action/i, 'the boot failed: see its log, correct what it names, and deploy'],
  [/AMI|image/i, 'the image cannot be used: set another one, and deploy'],
];

/** The remedy for a launch that failed so. */
export const fixOf = (reason: string): string =>
  fixes.find(([pattern]) => pattern.test(reason))?.[1] ?? 'correct what the reason names, and deploy';

/** Launches that failed, by their reason; a problem while instances are missing. */
export function launchesFailing(
  groups: readonly GroupFacts[],
  now: number,
  concerns: (launch: FailedLaunch) => boolean = () => true,
): Outcome {
  const failed = groups.flatMap(({ failedLaunches }) => failedLaunches.filter(concerns));
  if (failed.length === 0) return ok('no launch failed within an hour');
  const told = [...byReason(failed).values()].map((alike) => {
    const [{ groupName, at, reason }] = alike as [FailedLaunch];
    const zones = [...new Set(alike.map(({ zone }) => zone))].sort().join(', ');
    const launches = alike.length === 1 ? 'a launch' : `${alike.length} launches`;
    return `${launches} of ${groupName} failed in ${zones}, the last ${duration(now - at)} ago: ${reason}`;
  });
  const missing = groups.reduce((sum, group) => sum + missingIn(group), 0);
  if (missing === 0) return notice(`${listed(told)}; all instances that are wanted are there or boot`, fixOf(told[0]!));
  return problem(
    `${listed(told)}; ${missing === 1 ? '1 instance is' : `${missing} instances are`} missing`,
    fixOf(told[0]!),
  );
}

/** Ids and tokens differ from launch to launch. */
function byReason(failed: readonly FailedLaunch[]): Map<string, FailedLaunch[]> {
  const found = new Map<string, FailedLaunch[]>();
  for (const launch of failed) {
    const key = `${launch.groupName} ${launch.reason.replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]+\b|\([^)]*\)|i-[0-9a-f]+/g, '')}`;
    found.set(key, [...(found.get(key) ?? []), launch]);
  }
  return found;
}

/** A group with as many instances as zones has one in each, unless a zone is lost or was. */
export function zonesWithout(groups: readonly GroupFacts[], now: number, fix: string): Outcome {
  const empty = groups.flatMap(({ name, zones, members, failedLaunches, desired }) => {
    const served = new Set(members.filter(isInService).map(({ zone }) => zone));
    const without = desired < zones.length ? [] : zones.filter((zone) => !served.has(zone));
    return without.map((zone) => {
      const coming = members.some((one) => one.zone === zone && stays(one));
      return { name, zone, coming, failed: failedLaunches.filter((launch) => launch.zone === zone) };
    });
  });
  if (empty.length === 0) return ok(zonesServed(groups));
  const told = empty.map(({ name, zone, coming, failed: [last] }) => {
    if (last !== undefined)
      return `${name} has no instance in service in ${zone}, and launches fail there: ${last.reason} (${duration(now - last.at)} ago)`;
    return `${name} has no instance in service in ${zone}${coming ? ', one boots there' : ''}`;
  });
  const lost = empty.some(({ failed, coming }) => failed.length > 0 && !coming);
  return lost ? problem(listed(told), fix) : notice(listed(told), fix);
}

const zonesServed = (groups: readonly GroupFacts[]) =>
  groups
    .map(({ name, zones, members }) => {
      const served = zones.filter((zone) => members.some((one) => one.zone === zone && isInService(one)));
      return `${name} has instances in ${served.length} of ${zones.length} zones`;
    })
    .join(', ');
