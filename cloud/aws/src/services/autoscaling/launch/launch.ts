import { AwsError } from '../../../account/errors.ts';
import type { Ec2Instance } from '../../../account/neighbours.ts';
import { endActivity, startActivity } from '../groups/activities.ts';
import { countsAsCapacity, isInPool, isLeaving } from '../lifecycle-states.ts';
import type { Activity, Group, Member, Place, TemplateReference } from '../model.ts';
import { activeRefresh } from '../refresh/warmup.ts';
import type { Scaler } from '../state.ts';
import { nextSubnet, onDemandTarget } from './placement.ts';

/** Launches one new instance into the group or its warm pool. False: it failed, and the group waits before it tries again. */
export function launchInstance(
  scaler: Scaler,
  group: Group,
  destination: 'AutoScalingGroup' | 'WarmPool',
  cause: string,
): Member | undefined {
  const subnet = chooseSubnet(scaler, group, destination);
  const into = destination === 'WarmPool' ? ' into warm pool' : '';
  const description = `Launching a new EC2 instance${into}`;
  const activity = startActivity(scaler, group, { description, cause, zone: subnet.zone, subnetId: subnet.subnetId });
  try {
    failOnFault(scaler, group);
    const choice = choosePurchase(scaler, group, destination);
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
    failLaunch(scaler, group, activity, error);
    return undefined;
  }
}

/** A fault `error` at operation `Launch` of service `autoscaling` stands for EC2 refusing: no capacity, a limit, an outage. */
function failOnFault(scaler: Scaler, group: Group): void {
  const fault = scaler.aws.engine.faults.strike({ service: 'autoscaling', operation: 'Launch', subject: group.name }, [
    'error',
  ]);
  if (fault === undefined) return;
  const code = fault.code ?? 'InsufficientInstanceCapacity';
  throw new AwsError(code, 'We currently do not have sufficient capacity in the Availability Zone you requested.');
}

/** A failed launch is retried with growing waits. */
function failLaunch(scaler: Scaler, group: Group, activity: Activity, error: AwsError): void {
  const { launchRetryFirstMs, launchRetryMostMs } = scaler.timing;
  const waitMs = Math.min(launchRetryFirstMs * 2 ** Math.min(group.launchFailures, 16), launchRetryMostMs);
  group.launchFailures += 1;
  group.launchNotBefore = scaler.now + waitMs;
  endActivity(scaler, group, activity, 'Failed', `${error.message} Launching EC2 instance failed.`);
  scaler.wake(group, group.launchNotBefore);
}

/** The pool is balanced together with the group, so that it has instances where the group will need them. */
function chooseSubnet(scaler: Scaler, group: Group, destination: 'AutoScalingGroup' | 'WarmPool') {
  const serves = (member: Member) => countsAsCapacity(member.state) && member.replacedBecause === undefined;
  const pooled = (member: Member) => destination === 'WarmPool' && isInPool(member.state) && !isLeaving(member.state);
  const peers = [...group.members.values()].filter((member) => serves(member) || pooled(member));
  const subnets = group.subnetIds.map((subnetId) => ({ subnetId, zone: scaler.aws.ec2.zoneOfSubnet(subnetId) }));
  return nextSubnet(subnets, peers)!;
}

/** Spot or on-demand, and of which type. Prices and capacity are not modelled: any type of the list may be chosen for spot. */
function choosePurchase(
  scaler: Scaler,
  group: Group,
  destination: 'AutoScalingGroup' | 'WarmPool',
): { template: TemplateReference; instanceType: string | undefined; spot: boolean } {
  const { template, mixed } = activeRefresh(group)?.source ?? group.source;
  const version = scaler.aws.ec2.resolveLaunchTemplateVersion(template.id, template.version);
  const resolved = { ...template, version };
  if (mixed === undefined || destination === 'WarmPool')
    return { template: resolved, instanceType: undefined, spot: false };
  const serving = [...group.members.values()].filter((member) => countsAsCapacity(member.state));
  const onDemand = serving.filter((member) => !member.spot).length;
  const spot = onDemand >= onDemandTarget(mixed.distribution, serving.length + 1);
  const types = mixed.overrides.flatMap((override) => override.InstanceType ?? []);
  const instanceType = types.length === 0 ? undefined : spot ? scaler.random.pick(types) : types[0];
  return { template: resolved, instanceType, spot };
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
