import { arn } from '../../../account/arn.ts';
import type { PutScalingPolicyType, StepAdjustment } from '../api.ts';
import { limitExceeded, scalingActivityInProgress, validationError } from '../errors.ts';
import type { Group, Member, ScalingPolicyRecord } from '../model.ts';
import type { Scaler } from '../state.ts';
import { capacityOf, setDesired } from './capacity.ts';
import { type AdjustmentDecision, decideSimpleAdjustment, decideStepAdjustment } from './decide-step-adjustment.ts';

/** Quotas for Auto Scaling resources. */
const mostPolicies = 50;
const mostSteps = 20;

/** Creates or replaces a policy. */
export function putPolicy(scaler: Scaler, group: Group, request: PutScalingPolicyType): ScalingPolicyRecord {
  const name = request.PolicyName ?? '';
  const previous = group.policies.get(name);
  const type = request.PolicyType ?? previous?.type ?? 'SimpleScaling';
  if (type !== 'StepScaling' && type !== 'SimpleScaling')
    throw validationError(`the embedded cloud does not model scaling policies of type ${type}`);
  if (previous === undefined && group.policies.size >= mostPolicies)
    throw limitExceeded(`You can have at most ${mostPolicies} scaling policies per AutoScalingGroup`);
  const policy: ScalingPolicyRecord = {
    name,
    arn:
      previous?.arn ??
      arn(
        scaler.aws,
        'autoscaling',
        `scalingPolicy:${scaler.random.uuid()}:autoScalingGroupName/${group.name}:policyName/${name}`,
      ),
    groupName: group.name,
    type,
    adjustmentType: adjustmentTypeOf(request.AdjustmentType),
    scalingAdjustment: request.ScalingAdjustment,
    steps: request.StepAdjustments ?? [],
    minAdjustmentMagnitude: request.MinAdjustmentMagnitude ?? request.MinAdjustmentStep,
    cooldownSeconds: request.Cooldown,
    warmupSeconds: request.EstimatedInstanceWarmup,
    enabled: request.Enabled ?? true,
  };
  checkPolicy(policy);
  group.policies.set(name, policy);
  scaler.policiesByArn.set(policy.arn, policy);
  return policy;
}

function adjustmentTypeOf(value: string | undefined): ScalingPolicyRecord['adjustmentType'] {
  if (value === 'ChangeInCapacity' || value === 'ExactCapacity' || value === 'PercentChangeInCapacity') return value;
  throw validationError(
    `AdjustmentType must be one of ChangeInCapacity, ExactCapacity, PercentChangeInCapacity, not ${value}`,
  );
}

function checkPolicy(policy: ScalingPolicyRecord): void {
  if (policy.type === 'SimpleScaling') {
    if (policy.scalingAdjustment === undefined)
      throw validationError('ScalingAdjustment must be specified for policy type SimpleScaling');
    if (policy.steps.length > 0)
      throw validationError('StepAdjustments is not supported for policy type SimpleScaling');
    if (policy.warmupSeconds !== undefined)
      throw validationError('EstimatedInstanceWarmup is not supported for policy type SimpleScaling');
    return;
  }
  if (policy.scalingAdjustment !== undefined)
    throw validationError('ScalingAdjustment is not supported for policy type StepScaling');
  if (policy.cooldownSeconds !== undefined)
    throw validationError('Cooldown is not supported for policy type StepScaling');
  checkSteps(policy.steps);
}

/** No overlap, no gap, one open end on each side, at most twenty: Step adjustments for step scaling; quotas. */
function checkSteps(steps: readonly StepAdjustment[]): void {
  if (steps.length === 0)
    throw validationError('At least one StepAdjustment must be specified for policy type StepScaling');
  if (steps.length > mostSteps)
    throw limitExceeded(`You can have at most ${mostSteps} step adjustments per scaling policy`);
  const low = (step: StepAdjustment) => step.MetricIntervalLowerBound ?? Number.NEGATIVE_INFINITY;
  const high = (step: StepAdjustment) => step.MetricIntervalUpperBound ?? Number.POSITIVE_INFINITY;
  for (const step of steps) {
    if (step.MetricIntervalLowerBound === undefined && step.MetricIntervalUpperBound === undefined)
      throw validationError('StepAdjustment MetricIntervalLowerBound and MetricIntervalUpperBound cannot both be null');
    if (low(step) >= high(step))
      throw validationError('StepAdjustment MetricIntervalLowerBound must be less than MetricIntervalUpperBound');
  }
  const sorted = [...steps].sort((a, b) => low(a) - low(b));
  for (const [index, step] of sorted.entries()) {
    const next = sorted[index + 1];
    if (next !== undefined && high(step) > low(next)) throw validationError("StepAdjustment intervals can't overlap");
    if (next !== undefined && high(step) < low(next))
      throw validationError("StepAdjustment intervals can't have gaps between them");
  }
  checkOpenEnds(sorted, low, high);
}

function checkOpenEnds(
  sorted: readonly StepAdjustment[],
  low: (step: StepAdjustment) => number,
  high: (step: StepAdjustment) => number,
): void {
  const least = low(sorted[0]!);
  const most = high(sorted.at(-1)!);
  if (least < 0 && least !== Number.NEGATIVE_INFINITY)
    throw validationError(
      'There must be a StepAdjustment with an unspecified lower bound when one StepAdjustment has a negative lower bound',
    );
  if (most > 0 && most !== Number.POSITIVE_INFINITY)
    throw validationError(
      'There must be a StepAdjustment with an unspecified upper bound when one StepAdjustment has a positive upper bound',
    );
}

export function deletePolicy(scaler: Scaler, policy: ScalingPolicyRecord): void {
  scaler.groups.get(policy.groupName)?.policies.delete(policy.name);
  scaler.policiesByArn.delete(policy.arn);
}

/** A policy by name in its group, or by ARN. */
export function findPolicy(
  scaler: Scaler,
  nameOrArn: string | undefined,
  groupName: string | undefined,
): ScalingPolicyRecord {
  const byArn = scaler.policiesByArn.get(nameOrArn ?? '');
  const policy = byArn ?? scaler.groups.get(groupName ?? '')?.policies.get(nameOrArn ?? '');
  if (policy !== undefined) return policy;
  throw validationError(`Policy ${nameOrArn} not found${groupName === undefined ? '' : ` in group ${groupName}`}`);
}

/** Why a simple scaling policy may not act now, if so. */
function simpleScalingBlock(scaler: Scaler, group: Group): string | undefined {
  const { simpleScaling } = group;
  if (simpleScaling.acting || group.activitiesUnderWay > 0) return 'a scaling activity is in progress';
  return scaler.now < simpleScaling.cooldownUntil ? 'the group is in its cooldown period' : undefined;
}

/** Runs a policy; `reason` begins the cause of what follows. Returns the reason if the policy had no effect. */
function runPolicy(
  scaler: Scaler,
  group: Group,
  policy: ScalingPolicyRecord,
  breach: { metricValue: number; threshold: number } | undefined,
  reason: string,
): string | undefined {
  const decision =
    policy.type === 'SimpleScaling' ? decideSimple(group, policy) : decideStep(scaler, group, policy, breach);
  if ('refused' in decision) return decision.refused;
  if (policy.type === 'SimpleScaling') {
    group.simpleScaling.acting = true;
    group.simpleScaling.cooldownMs = (policy.cooldownSeconds ?? group.defaultCooldownSeconds) * 1000;
  }
  setDesired(scaler, group, decision.desired, reason);
  return undefined;
}

function decideSimple(group: Group, policy: ScalingPolicyRecord): AdjustmentDecision {
  return decideSimpleAdjustment({ ...policy, ...group, adjustment: policy.scalingAdjustment ?? 0 });
}

function decideStep(
  scaler: Scaler,
  group: Group,
  policy: ScalingPolicyRecord,
  breach: { metricValue: number; threshold: number } | undefined,
): AdjustmentDecision {
  if (breach === undefined)
    throw validationError('MetricValue and BreachThreshold must be specified for policy type StepScaling');
  const members = capacityOf(group);
  const warm = members.filter((member) => isWarm(scaler, member, warmupSeconds(group, policy)));
  const terminating = [...group.members.values()].filter(
    (member) => member.state.startsWith('Terminating') && member.state !== 'Terminating:Retained',
  );
  return decideStepAdjustment({
    adjustmentType: policy.adjustmentType,
    steps: policy.steps,
    minAdjustmentMagnitude: policy.minAdjustmentMagnitude,
    desiredCapacity: group.desiredCapacity,
    minSize: group.minSize,
    maxSize: group.maxSize,
    ...breach,
    warmCapacity: warm.length,
    warmingCapacity: members.length - warm.length,
    terminatingCapacity: terminating.length,
  });
}

/** "If not provided, the default is to use the value from the default cooldown period": PutScalingPolicy. */
const warmupSeconds = (group: Group, policy: ScalingPolicyRecord): number =>
  policy.warmupSeconds ?? group.defaultInstanceWarmupSeconds ?? group.defaultCooldownSeconds;

/** Warm-up begins when the instance enters service, after its launch hooks. */
const isWarm = (scaler: Scaler, member: Member, seconds: number): boolean =>
  member.state === 'InService' && scaler.now >= (member.inServiceAt ?? 0) + seconds * 1000;

/** ExecutePolicy: a simple policy that honours the cooldown is refused while it lasts. */
export function executePolicy(
  scaler: Scaler,
  policy: ScalingPolicyRecord,
  options: { honorCooldown: boolean; breach: { metricValue: number; threshold: number } | undefined },
): void {
  const group = scaler.group(policy.groupName);
  const block =
    policy.type === 'SimpleScaling' && options.honorCooldown ? simpleScalingBlock(scaler, group) : undefined;
  if (block !== undefined) throw scalingActivityInProgress(`The policy ${policy.name} cannot be executed: ${block}`);
  runPolicy(scaler, group, policy, options.breach, `a user request executed policy ${policy.name}`);
}

/** An alarm's action. What is refused is noted, not an error: the alarm comes again. */
export function executeFromAlarm(
  scaler: Scaler,
  policyArn: string,
  alarm: { name: string; metricValue: number; threshold: number },
): void {
  const policy = scaler.policiesByArn.get(policyArn);
  const group = scaler.groups.get(policy?.groupName ?? '');
  if (policy === undefined || group === undefined || group.deleting || !policy.enabled) return;
  const refused = alarmBlock(scaler, group, policy) ?? runFromAlarm(scaler, group, policy, alarm);
  if (refused === undefined) return;
  const detail = { policy: policy.name, alarm: alarm.name, refused };
  scaler.aws.engine.journal.record({
    kind: 'note',
    source: 'aws.autoscaling',
    name: 'scaling policy did nothing',
    subject: group.name,
    detail,
  });
}

function alarmBlock(scaler: Scaler, group: Group, policy: ScalingPolicyRecord): string | undefined {
  if (scaler.isSuspended(group, 'AlarmNotification')) return 'AlarmNotification is suspended';
  return policy.type === 'SimpleScaling' ? simpleScalingBlock(scaler, group) : undefined;
}

const runFromAlarm = (
  scaler: Scaler,
  group: Group,
  policy: ScalingPolicyRecord,
  alarm: { name: string; metricValue: number; threshold: number },
) =>
  runPolicy(
    scaler,
    group,
    policy,
    alarm,
    `a monitor alarm ${alarm.name} in state ALARM triggered policy ${policy.name}`,
  );
