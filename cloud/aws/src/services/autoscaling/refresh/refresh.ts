import { AwsError } from '../../../account/errors.ts';
import type { RefreshPreferences, StartInstanceRefreshType } from '../api.ts';
import { validationError } from '../errors.ts';
import { emit } from '../groups/events.ts';
import { launchSource } from '../groups/settings.ts';
import { typesOf } from '../launch/instance-types.ts';
import { beginTermination } from '../launch/terminate.ts';
import { isInPool, isLeaving } from '../lifecycle-states.ts';
import type { Group, LaunchSource, Member, Refresh, RefreshStatus } from '../model.ts';
import type { Scaler } from '../state.ts';
import { decideRefresh, patienceMs, type RefreshFacts, type RefreshInstance } from './decide-refresh.ts';
import { activeRefresh, isWarm } from './warmup.ts';

const because = 'an instance was taken out of service in response to an instance refresh.';
/** "The maximum amount of time that an instance refresh can remain actively replacing instances is 14 days." */
const longestMs = 14 * 86_400_000;
const unmodelledPreferences = [
  'CheckpointPercentages',
  'CheckpointDelay',
  'AutoRollback',
  'AlarmSpecification',
  'BakeTime',
] as const;

/** Starts replacing the group's instances. */
export function startRefresh(scaler: Scaler, group: Group, request: StartInstanceRefreshType): Refresh {
  if (activeRefresh(group) !== undefined)
    throw new AwsError(
      'InstanceRefreshInProgress',
      `An Instance Refresh is already in progress and blocks the execution of this Instance Refresh.`,
      400,
    );
  if ((request.Strategy ?? 'Rolling') !== 'Rolling')
    throw validationError(`the embedded cloud does not model the instance refresh strategy ${request.Strategy}`);
  const preferences = request.Preferences ?? {};
  checkPreferences(preferences);
  const source = request.DesiredConfiguration && launchSource(scaler.aws, request.DesiredConfiguration);
  const remaining = outdatedMembers(scaler, group, source ?? group.source, preferences.SkipMatching ?? false);
  const refresh: Refresh = {
    id: scaler.random.uuid(),
    preferences,
    source,
    startTime: scaler.now,
    endTime: undefined,
    status: 'Pending',
    statusReason: undefined,
    remaining: new Set(remaining.map((member) => member.instanceId)),
    total: remaining.length,
    progressAt: scaler.now,
    progressLeft: Number.POSITIVE_INFINITY,
    launching: false,
    progress: undefined,
    onEnd: [],
  };
  group.refreshes.push(refresh);
  scaler.wake(group);
  return refresh;
}

function checkPreferences(preferences: RefreshPreferences): void {
  for (const name of unmodelledPreferences) {
    const value = preferences[name];
    if (value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0) && value !== 0)
      throw validationError(`the embedded cloud does not model the instance refresh preference ${name}`);
  }
  const { MinHealthyPercentage: least, MaxHealthyPercentage: most } = preferences;
  if (least !== undefined && (least < 0 || least > 100))
    throw validationError('MinHealthyPercentage must be between 0 and 100.');
  if (most === undefined) return;
  if (least === undefined)
    throw validationError('MinHealthyPercentage must be specified when MaxHealthyPercentage is specified.');
  if (most < 100 || most > 200 || most - least > 100)
    throw validationError(
      'MaxHealthyPercentage must be between 100 and 200 and at most 100 above MinHealthyPercentage.',
    );
}

/** The members at the start; with SkipMatching only those that differ from what would be launched. */
function outdatedMembers(scaler: Scaler, group: Group, source: LaunchSource, skipMatching: boolean): Member[] {
  const { id, version } = source.template;
  const number = scaler.aws.ec2.resolveLaunchTemplateVersion(id, version);
  const types = (['on-demand', 'spot'] as const).flatMap((market) => typesOf(scaler, source, market));
  const matches = (member: Member) =>
    member.template.id === id &&
    member.template.version === number &&
    (types.length === 0 || types.includes(member.instanceType));
  return [...group.members.values()].filter((member) => !isLeaving(member.state) && !(skipMatching && matches(member)));
}

/** The next step of the group's refresh, when something has happened. */
export function stepRefresh(scaler: Scaler, group: Group): void {
  const refresh = activeRefresh(group);
  if (refresh === undefined || scaler.isSuspended(group, 'InstanceRefresh')) return;
  if (refresh.status === 'Pending') begin(scaler, group, refresh);
  forgetGone(group, refresh);
  const decision = overdue(scaler, refresh) ?? decideRefresh(gather(scaler, group, refresh));
  if (decision.act === 'replace') {
    for (const id of decision.terminate) beginTermination(scaler, group.members.get(id)!, because);
    for (const id of decision.launchFirst) group.members.get(id)!.replacedBecause = because;
    scaler.wake(group);
  } else if (decision.act === 'succeed') end(scaler, group, refresh, 'Successful');
  else if (decision.act === 'cancelled') end(scaler, group, refresh, 'Cancelled', 'Cancelled due to user request.');
  else if (decision.act === 'fail') fail(scaler, group, refresh, decision.because);
  else scaler.wake(group, refresh.progressAt + patienceMs);
}

const overdue = (scaler: Scaler, refresh: Refresh) =>
  scaler.now - refresh.startTime > longestMs
    ? ({ act: 'fail', because: 'The instance refresh did not finish within 14 days.' } as const)
    : undefined;

function begin(scaler: Scaler, group: Group, refresh: Refresh): void {
  refresh.status = 'InProgress';
  emitRefresh(scaler, group, refresh, 'Started');
}

function forgetGone(group: Group, refresh: Refresh): void {
  for (const id of refresh.remaining) {
    const member = group.members.get(id);
    if (member === undefined || isLeaving(member.state)) refresh.remaining.delete(id);
  }
}

function gather(scaler: Scaler, group: Group, refresh: Refresh): RefreshFacts {
  const { preferences } = refresh;
  const instances = [...group.members.values()].flatMap((member) => view(scaler, refresh, member) ?? []);
  noteProgress(scaler, refresh, instances);
  return {
    instances,
    desiredCapacity: group.desiredCapacity,
    minHealthyPercentage: preferences.MinHealthyPercentage ?? group.maintenancePolicy?.MinHealthyPercentage ?? 90,
    maxHealthyPercentage: preferences.MaxHealthyPercentage ?? group.maintenancePolicy?.MaxHealthyPercentage,
    protectedInstances: preferences.ScaleInProtectedInstances ?? 'Wait',
    cancelling: refresh.status === 'Cancelling',
    stuckMs: scaler.now - refresh.progressAt,
  };
}

function view(scaler: Scaler, refresh: Refresh, member: Member): RefreshInstance | undefined {
  if (isLeaving(member.state)) return undefined;
  const { state } = member;
  return {
    instanceId: member.instanceId,
    outdated: refresh.remaining.has(member.instanceId),
    state: isInPool(state) ? 'pooled' : state === 'InService' ? 'in-service' : 'launching',
    ready: isWarm(scaler, member),
    protectedFromScaleIn: member.protectedFromScaleIn,
    waitingForReplacement: member.replacedBecause !== undefined,
  };
}

/** An hour without progress ends a refresh; launches and their hooks under way are no standstill. */
function noteProgress(scaler: Scaler, refresh: Refresh, instances: readonly RefreshInstance[]): void {
  const left = instances.filter((instance) => instance.outdated || !instance.ready).length;
  if (left !== refresh.progressLeft || refresh.launching) refresh.progressAt = scaler.now;
  refresh.progressLeft = left;
  refresh.launching = instances.some((instance) => instance.state === 'launching');
}

function fail(scaler: Scaler, group: Group, refresh: Refresh, reason: string): void {
  for (const member of group.members.values())
    if (member.replacedBecause === because) member.replacedBecause = undefined;
  end(scaler, group, refresh, 'Failed', reason);
  scaler.wake(group);
}

function end(scaler: Scaler, group: Group, refresh: Refresh, status: RefreshStatus, reason?: string): void {
  refresh.status = status;
  refresh.progress = refreshProgress(scaler, group, refresh);
  refresh.endTime = scaler.now;
  refresh.statusReason = reason;
  if (status === 'Successful' && refresh.source !== undefined) group.source = refresh.source;
  emitRefresh(scaler, group, refresh, status === 'Successful' ? 'Succeeded' : status);
  for (const tell of refresh.onEnd) tell(refresh);
}

const emitRefresh = (scaler: Scaler, group: Group, refresh: Refresh, what: string) =>
  emit(scaler, group, `EC2 Auto Scaling Instance Refresh ${what}`, {
    InstanceRefreshId: refresh.id,
    AutoScalingGroupName: group.name,
  });

/** Stops replacing. Nothing is rolled back, and what is under way comes to its end first (CancelInstanceRefresh). */
export function cancelRefresh(scaler: Scaler, group: Group, waitForTransitioning: boolean): Refresh {
  const refresh = activeRefresh(group);
  if (refresh === undefined)
    throw new AwsError(
      'ActiveInstanceRefreshNotFound',
      `No in progress or pending Instance Refresh found for Auto Scaling group ${group.name}`,
      400,
    );
  refresh.status = 'Cancelling';
  if (waitForTransitioning) scaler.wake(group);
  else end(scaler, group, refresh, 'Cancelled', 'Cancelled due to user request.');
  return refresh;
}

/** How far a refresh is: an instance counts when its successor serves and is warm. */
export function refreshProgress(scaler: Scaler, group: Group, refresh: Refresh): { percentage: number; left: number } {
  if (refresh.status === 'Successful') return { percentage: 100, left: 0 };
  const live = [...group.members.values()].filter((member) => !isInPool(member.state) && !isLeaving(member.state));
  const ready = live.filter((member) => isWarm(scaler, member)).length;
  const left = Math.min(refresh.total, refresh.remaining.size + Math.max(0, group.desiredCapacity - ready));
  return { percentage: refresh.total === 0 ? 0 : Math.floor((100 * (refresh.total - left)) / refresh.total), left };
}
