import { AwsError } from '../../../account/errors.ts';
import type { Ec2Instance } from '../../../account/neighbours.ts';
import { endActivity, startActivity } from '../groups/activities.ts';
import { hasRequirements } from '../groups/instance-requirements.ts';
import { countsAsCapacity, isInPool, isLeaving } from '../lifecycle-states.ts';
import type { Activity, Group, Member, Place, TemplateReference } from '../model.ts';
import { activeRefresh } from '../refresh/warmup.ts';
import type { Scaler } from '../state.ts';
import { isoSeconds } from '../timing.ts';
import { typesOf } from './instance-types.ts';
import { nextSubnet, onDemandTarget } from './placement.ts';

/**
 * Launches one new instance into the group or its warm pool. "If launches fail in an Availability Zone, Auto Scaling will attempt to
 * launch in another healthy Availability Zone instead" (AvailabilityZoneDistribution, balanced-best-effort). Undefined: it failed in
 * every zone, and the group waits before it tries again.
 */
export function launchInstance(
  scaler: Scaler,
  group: Group,
  destination: 'AutoScalingGroup' | 'WarmPool',
  cause: string,
): Member | undefined {
  for (;;) {
    const subnet = chooseSubnet(scaler, group, destination);
    const launched = launchInto(scaler, group, { subnet, destination, cause });
    if (!(launched instanceof AwsError)) return launched;
    if (!isCapacityOf(launched)) break;
    avoidZone(scaler, group, subnet.zone);
    if (healthyZones(scaler, group).length === 0) break;
  }
  delayLaunches(scaler, group);
  return undefined;
}

interface Launch {
  readonly subnet: { readonly subnetId: string; readonly zone: string };
  readonly destination: 'AutoScalingGroup' | 'WarmPool';
  readonly cause: string;
}

function launchInto(scaler: Scaler, group: Group, { subnet, destination, cause }: Launch): Member | AwsError {
  const into = destination === 'WarmPool' ? ' into warm pool' : '';
  const description = `Launching a new EC2 instance${into}`;
  const activity = startActivity(scaler, group, { description, cause, zone: subnet.zone, subnetId: subnet.subnetId });
  try {
    const choice = choosePurchase(scaler, group, { destination, zone: subnet.zone });
    const instance = scaler.aws.ec2.launch({
      launchTemplate: choice.template,
      subnetId: subnet.subnetId,
      ...(choice.instanceType === undefined ? {} : { instanceType: choice.instanceType }),
      ...(choice.spot ? { spot: true } : {}),
      tags: launchTags(group, choice.template),
    });
    group.launchFailures = 0;
    activity.instanceId = instance.id;
    activity.description += `: ${instance.id}`;
    const member = newMember(group, instance, choice.template, destination, activity);
    scaler.add(member);
    return member;
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    endActivity(scaler, group, activity, 'Failed', `${error.message} Launching EC2 instance failed.`);
    return error;
  }
}

/**
 * A fault `error` at operation `Launch` of service `autoscaling` stands for EC2 refusing: no capacity, a limit, an outage. Its subject
 * may name the group, the zone or the instance type.
 */
function failOnFault(
  scaler: Scaler,
  group: Group,
  { zone, instanceType = '', spot = false }: { zone: string; instanceType?: string; spot?: boolean },
): void {
  const subject = `${group.name} ${zone} ${instanceType}`.trimEnd();
  const point = { service: 'autoscaling', operation: 'Launch', subject };
  const fault = scaler.aws.engine.faults.strike(point, ['error']);
  const code = fault?.code ?? capacityError;
  if (fault === undefined || quotas[code]?.ofSpot === !spot) return;
  const words = quotas[code]?.words ?? (spot ? withoutSpot : withoutCapacity(zone));
  throw new AwsError(code, spot ? `Could not launch Spot Instances. ${code} - ${words}` : words);
}

const withoutCapacity = (zone: string) =>
  `We currently do not have sufficient capacity in the Availability Zone you requested (${zone}).`;
/** With the words before it as in activities that were seen (cortexlabs/cortex issue 1258). */
const withoutSpot = 'There is no Spot capacity available that matches your request.';

/** EC2 API Reference, "Error codes"; User Guide, "Spot Instance quotas": the vCPUs of spot instances have a quota of their own. */
const quotas: Readonly<Record<string, { readonly ofSpot: boolean; readonly words: string }>> = {
  VcpuLimitExceeded: {
    ofSpot: false,
    words:
      'You have requested more vCPU capacity than your current vCPU limit allows for the instance bucket that the specified instance type belongs to.',
  },
  MaxSpotInstanceCountExceeded: { ofSpot: true, words: 'Max spot instance count exceeded.' },
};

const capacityError = 'InsufficientInstanceCapacity';

/** The words of a group then are not documented. */
const noTypeMeets = (spot: boolean) =>
  new AwsError(
    'InvalidParameterValue',
    `Could not launch ${spot ? 'Spot' : 'On-Demand'} Instances. InvalidParameterValue - No instance type meets the instance requirements.`,
  );
const isCapacityOf = ({ code }: AwsError) => code === capacityError;

/** A zone without capacity is left out for a while; whether and when AWS tries it again is not documented. */
function avoidZone(scaler: Scaler, group: Group, zone: string): void {
  group.avoidedZones.set(zone, scaler.now + scaler.timing.zoneRetryMs);
}

/** Zones of the group in which launches have not failed lately. */
export const healthyZones = (scaler: Scaler, group: Group): readonly string[] =>
  group.zones.filter((zone) => (group.avoidedZones.get(zone) ?? 0) <= scaler.now);

/** Whether EC2 would launch in the zone; that it would not is a failed activity, as a launch would be. */
export function zoneTakesLaunches(scaler: Scaler, group: Group, zone: string): boolean {
  try {
    failOnFault(scaler, group, { zone });
    return true;
  } catch (error) {
    const cause = `At ${isoSeconds(scaler.now)} an instance was to be launched to aid in balancing the group's zones.`;
    const activity = startActivity(scaler, group, { description: 'Launching a new EC2 instance', cause, zone });
    endActivity(scaler, group, activity, 'Failed', `${(error as AwsError).message} Launching EC2 instance failed.`);
    avoidZone(scaler, group, zone);
    return false;
  }
}

/** A launch that failed everywhere is retried with growing waits. */
function delayLaunches(scaler: Scaler, group: Group): void {
  const { launchRetryFirstMs, launchRetryMostMs } = scaler.timing;
  const waitMs = Math.min(launchRetryFirstMs * 2 ** Math.min(group.launchFailures, 16), launchRetryMostMs);
  group.launchFailures += 1;
  group.launchNotBefore = scaler.now + waitMs;
  group.avoidedZones.clear();
  scaler.wake(group, group.launchNotBefore);
}

/** The pool is balanced together with the group, so that it has instances where the group will need them. */
function chooseSubnet(scaler: Scaler, group: Group, destination: 'AutoScalingGroup' | 'WarmPool') {
  const serves = (member: Member) => countsAsCapacity(member.state) && member.replacedBecause === undefined;
  const pooled = (member: Member) => destination === 'WarmPool' && isInPool(member.state) && !isLeaving(member.state);
  const peers = [...group.members.values()].filter((member) => serves(member) || pooled(member));
  const healthy = healthyZones(scaler, group);
  const subnets = group.subnetIds.map((subnetId) => ({ subnetId, zone: scaler.aws.ec2.zoneOfSubnet(subnetId) }));
  return (
    nextSubnet(
      subnets.filter(({ zone }) => healthy.includes(zone)),
      peers,
    ) ?? nextSubnet(subnets, peers)!
  );
}

/**
 * Spot or on-demand, and of which type. Spot prices are not modelled: any type of the list may be chosen for spot. On-demand takes the
 * first type that there is capacity for: in the order of the overrides with `prioritized`, the cheapest of those that meet requirements.
 */
function choosePurchase(
  scaler: Scaler,
  group: Group,
  { destination, zone }: Pick<Launch, 'destination'> & { readonly zone: string },
): { template: TemplateReference; instanceType: string | undefined; spot: boolean } {
  const { template, mixed } = activeRefresh(group)?.source ?? group.source;
  const version = scaler.aws.ec2.resolveLaunchTemplateVersion(template.id, template.version);
  const resolved = { ...template, version };
  if (mixed === undefined || destination === 'WarmPool') {
    failOnFault(scaler, group, { zone });
    return { template: resolved, instanceType: undefined, spot: false };
  }
  const serving = [...group.members.values()].filter((member) => countsAsCapacity(member.state));
  const onDemand = serving.filter((member) => !member.spot).length;
  const spot = onDemand >= onDemandTarget(mixed.distribution, serving.length + 1);
  const types = typesOf(scaler, { template, mixed }, spot ? 'spot' : 'on-demand');
  if (types.length === 0 && hasRequirements(mixed.policy)) throw noTypeMeets(spot);
  const preferred = spot && types.length > 0 ? [scaler.random.pick(types)] : [];
  const instanceType = firstWithCapacity(scaler, group, { zone, spot }, [...new Set([...preferred, ...types])]);
  return { template: resolved, instanceType, spot };
}

/** The first type that EC2 launches in the zone. Throws the refusal of the last when there is none. */
function firstWithCapacity(
  scaler: Scaler,
  group: Group,
  launch: { readonly zone: string; readonly spot: boolean },
  types: readonly string[],
): string | undefined {
  for (const [index, type] of types.entries())
    try {
      failOnFault(scaler, group, { ...launch, instanceType: type });
      return type;
    } catch (error) {
      if (index === types.length - 1) throw error;
    }
  failOnFault(scaler, group, launch);
  return undefined;
}

/** The group's propagated tags and those that AWS adds. */
const launchTags = (group: Group, template: TemplateReference): Record<string, string> => ({
  ...Object.fromEntries(
    [...group.tags.values()].filter((tag) => tag.propagateAtLaunch).map((tag) => [tag.key, tag.value]),
  ),
  'aws:autoscaling:groupName': group.name,
  'aws:ec2launchtemplate:id': template.id,
  'aws:ec2launchtemplate:version': template.version,
});

function newMember(
  group: Group,
  instance: Ec2Instance,
  template: TemplateReference,
  destination: Place,
  activity: Activity,
): Member {
  return {
    instanceId: instance.id,
    group,
    zone: instance.availabilityZone,
    subnetId: instance.subnetId,
    instanceType: instance.instanceType,
    imageId: instance.imageId,
    spot: instance.spot,
    template,
    launchedAt: instance.launchedAt,
    state: destination === 'WarmPool' ? 'Warmed:Pending' : 'Pending',
    healthy: true,
    targetHealthy: true,
    unhealthyBecause: '',
    protectedFromScaleIn: false,
    inServiceAt: undefined,
    origin: 'EC2',
    activity,
    wait: undefined,
    awaiting: 'running',
    epoch: 0,
    replacedBecause: undefined,
  };
}
