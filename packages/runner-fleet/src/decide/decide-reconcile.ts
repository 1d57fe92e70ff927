import { labels } from '@drover/core/names/runner-fleet';
import {
  type FleetInstance,
  type GroupFacts,
  type HostReport,
  type Runner,
  type TokenSecretFacts,
  type UnfitReason,
  waitsForTermination,
} from '../model/fleet.ts';
import { parked } from './rollout/template-progress.ts';

/** All sides of a fleet at one moment. */
export interface ReconcileFacts {
  readonly group: GroupFacts;
  readonly runners: readonly Runner[];
  readonly secrets: readonly TokenSecretFacts[];
  readonly reports: ReadonlyMap<string, HostReport>;
  /** When each waiting instance began its transition. */
  readonly since: ReadonlyMap<string, number>;
  readonly allowedDrainTimeMs: number;
  /** Findings of earlier readings, with the time of the first. */
  readonly suspects: Readonly<Record<string, number>>;
  /**
   * In jobs mode nothing lists runners, every instance is protected, and the windows of the demand see to hosts and
   * runners.
   */
  readonly jobsMode?: boolean;
  /** Launches fail, or hosts break: a broken host keeps its place for longer. */
  readonly braked?: boolean;
}

export type ReconcileAction =
  | { readonly kind: 'remove-runner'; readonly runnerId: number; readonly name: string }
  | { readonly kind: 'mark-unhealthy'; readonly instanceId: string }
  | { readonly kind: 'delete-secret'; readonly instanceId: string }
  | { readonly kind: 'complete-termination'; readonly instanceId: string }
  | { readonly kind: 'clear-protection'; readonly instanceId: string }
  | { readonly kind: 'replace-warm-member'; readonly instanceId: string };

/** Reason of a finding. */
export type FindingReason =
  | `runner-without-instance: ${string} is not in the group`
  | 'instance-without-runner'
  | 'runner-offline'
  | `host-unfit: ${UnfitReason}`
  | SecretReason
  | 'termination-hook-open-too-long'
  | 'protected-without-worker'
  | 'warm-member-offline-for-13-days';

type SecretReason = 'token-secret-of-gone-instance' | 'token-secret-used' | 'token-secret-too-old';

/** One finding: what is wrong, since when that is known, and what to do once it was seen twice. */
export interface Finding {
  readonly key: string;
  readonly because: FindingReason;
  readonly firstSeenAt: number;
  readonly action: ReconcileAction;
}

export interface ReconcilePlan {
  /** Seen at two readings, long enough apart: to be done now. */
  readonly due: readonly Finding[];
  /** The suspects to remember for the next reading. */
  readonly suspects: Readonly<Record<string, number>>;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** No finding is acted upon before it was seen again after this time. */
export const secondReadingMs = minuteMs;
/** How long an instance in service may be without a runner: the runner service starts, the platform's list lags. */
export const bootAllowanceMs = 10 * minuteMs;
/** A listener that ended is started again by its agent; one that stays offline for three sweeps does not come back. */
export const offlineAllowanceMs = 25 * minuteMs;
/** A registration token lives an hour; an instance that needed it has used it by then. */
export const secretMaxAgeMs = 60 * minuteMs;
/** The platform removes a just-in-time runner that has not connected for a day; a boot that takes long gets no other configuration. */
const jitMaxAgeMs = 20 * 60 * minuteMs;
/** With it a place costs two launches an hour at most (docs/decisions/0062). */
const brokenBrakedMs = 30 * minuteMs;
export const hookMarginMs = 10 * minuteMs;
/** The platform removes a runner that was offline for 14 days. */
export const warmMemberMaxOfflineMs = 13 * dayMs;
/** Bounded work per pass; the rest is due again at the next one. */
export const mostActionsPerPass = 50;

interface Suspicion {
  readonly key: string;
  readonly because: FindingReason;
  readonly action: ReconcileAction;
  /** How long it must have been seen. */
  readonly afterMs: number;
}

/** Compares all sides. Nothing is removed on one reading. Pure. */
export function decideReconcile(facts: ReconcileFacts, now: number): ReconcilePlan {
  const suspicions = [
    ...(facts.jobsMode === true ? [] : ofListedRunners(facts, now)),
    ...unfitHosts(facts, now),
    ...staleSecrets(facts, now),
    ...stuckHooks(facts, now),
    ...staleWarmMembers(facts),
  ];
  const suspects: Record<string, number> = {};
  const due: Finding[] = [];
  for (const { key, because, action, afterMs } of suspicions) {
    const firstSeenAt = facts.suspects[key] ?? now;
    suspects[key] = firstSeenAt;
    // One at a time: when all are offline the platform is the likely cause, and new instances would not help.
    if (because === 'runner-offline' && due.some((other) => other.because === because)) continue;
    if (now - firstSeenAt >= afterMs && due.length < mostActionsPerPass)
      due.push({ key, because, firstSeenAt, action });
  }
  return { due, suspects };
}

const ofListedRunners = (facts: ReconcileFacts, now: number): Suspicion[] => [
  ...ghosts(facts),
  ...instancesWithoutRunner(facts),
  ...offlineRunners(facts, now),
  ...staleProtection(facts, now),
];

/** Runners that are ours by label. */
export const ourRunners = (groupName: string, runners: readonly Runner[]): readonly Runner[] =>
  runners.filter((runner) => runner.labels.includes(labels.installation(groupName)));

/** The instance that a runner's label names; its name is the fallback. */
export const instanceOf = (runner: Runner): string =>
  runner.labels.find((label) => label.startsWith(labels.instancePrefix))?.slice(labels.instancePrefix.length) ??
  runner.name;

function ghosts({ group, runners }: ReconcileFacts): Suspicion[] {
  const present = new Set(group.instances.map((instance) => instance.id));
  return ourRunners(group.name, runners)
    .filter((runner) => runner.status === 'offline' && !present.has(instanceOf(runner)))
    .map((runner) => ({
      key: `runner:${runner.id}`,
      because: `runner-without-instance: ${instanceOf(runner)} is not in the group`,
      action: { kind: 'remove-runner', runnerId: runner.id, name: runner.name },
      afterMs: secondReadingMs,
    }));
}

/**
 * Another machine may have taken the name of an instance (`config.sh --replace`): its runner does not have our labels. Nor does that of a
 * host of an earlier jobs mode, which has its name alone.
 */
function instancesWithoutRunner({ group, runners, reports }: ReconcileFacts): Suspicion[] {
  const ofJobsMode = runners.filter((runner) => reports.get(runner.name)?.mode === 'jobs');
  const registered = new Set([...ourRunners(group.name, runners), ...ofJobsMode].map(instanceOf));
  return group.instances
    .filter((instance) => instance.lifecycleState === 'InService' && instance.healthy && !registered.has(instance.id))
    .filter((instance) => (reports.get(instance.id)?.workers ?? 0) === 0)
    .map((instance) => ({
      key: `instance:${instance.id}`,
      because: 'instance-without-runner',
      action: { kind: 'mark-unhealthy', instanceId: instance.id },
      afterMs: bootAllowanceMs,
    }));
}

/** The host's own word, while it is fresh. */
const freshReport = ({ reports }: ReconcileFacts, instanceId: string, now: number): HostReport | undefined => {
  const report = reports.get(instanceId);
  return report === undefined || now - report.at > bootAllowanceMs ? undefined : report;
};

/** The platform shows a busy runner as offline, too, when its connection is bad: the host knows whether a job runs. */
function offlineRunners(facts: ReconcileFacts, now: number): Suspicion[] {
  const { group } = facts;
  const offline = new Set(
    ourRunners(group.name, facts.runners)
      .filter(({ status, busy }) => status === 'offline' && !busy)
      .map(instanceOf),
  );
  return group.instances
    .filter(({ id, lifecycleState, healthy }) => lifecycleState === 'InService' && healthy && offline.has(id))
    .filter(({ id }) => (freshReport(facts, id, now)?.workers ?? 0) === 0)
    .map(({ id }) => ({
      key: `offline:${id}`,
      because: 'runner-offline',
      action: { kind: 'mark-unhealthy', instanceId: id },
      afterMs: offlineAllowanceMs,
    }));
}

function unfitHosts(facts: ReconcileFacts, now: number): Suspicion[] {
  return facts.group.instances.flatMap(({ id, lifecycleState, healthy }) => {
    const unfit = freshReport(facts, id, now)?.unfit;
    if (unfit === undefined || lifecycleState !== 'InService' || !healthy) return [];
    const action = { kind: 'mark-unhealthy', instanceId: id } as const;
    const afterMs = unfit === 'broken' && facts.braked === true ? brokenBrakedMs : secondReadingMs;
    return [{ key: `unfit:${id}`, because: `host-unfit: ${unfit}` as const, action, afterMs }];
  });
}

/**
 * A token is of use during a launch only: the agent deletes it after that, and what it could not delete goes here. The list
 * of secrets lags behind the group, so nothing younger than an hour is judged by it.
 */
function staleSecrets({ group, secrets, jobsMode }: ReconcileFacts, now: number): Suspicion[] {
  const states = new Map(group.instances.map((instance) => [instance.id, instance.lifecycleState]));
  return secrets.flatMap(({ instanceId, storedAt }) => {
    const because = staleBecause(states.get(instanceId), now - storedAt, jobsMode === true);
    if (because === undefined) return [];
    const action = { kind: 'delete-secret', instanceId } as const;
    return [{ key: `secret:${instanceId}`, because, action, afterMs: secondReadingMs }];
  });
}

function staleBecause(lifecycleState: string | undefined, ageMs: number, jobsMode: boolean): SecretReason | undefined {
  if (ageMs < secretMaxAgeMs) return undefined;
  if (lifecycleState === undefined) return 'token-secret-of-gone-instance';
  if (lifecycleState === 'InService' || parked.test(lifecycleState)) return 'token-secret-used';
  return jobsMode && ageMs < jitMaxAgeMs ? undefined : 'token-secret-too-old';
}

function stuckHooks({ group, since, allowedDrainTimeMs }: ReconcileFacts, now: number): Suspicion[] {
  const stuck = (instance: FleetInstance) => now - (since.get(instance.id) ?? now) >= allowedDrainTimeMs + hookMarginMs;
  return group.instances
    .filter((instance) => waitsForTermination(instance) && stuck(instance))
    .map((instance) => ({
      key: `hook:${instance.id}`,
      because: 'termination-hook-open-too-long',
      action: { kind: 'complete-termination', instanceId: instance.id },
      afterMs: 0,
    }));
}

function staleProtection(facts: ReconcileFacts, now: number): Suspicion[] {
  const { group, runners } = facts;
  const busy = new Set(runners.filter((runner) => runner.busy).map(instanceOf));
  const idle = (id: string) => (freshReport(facts, id, now)?.workers ?? 0) === 0;
  return (
    group.instances
      .filter((instance) => instance.lifecycleState === 'InService' && instance.protectedFromScaleIn)
      // A host of jobs mode is protected by its launch, and nothing else protects it when its job comes.
      .filter(({ id }) => facts.reports.get(id)?.mode !== 'jobs' && idle(id) && !busy.has(id))
      .map((instance) => ({
        key: `protection:${instance.id}`,
        because: 'protected-without-worker',
        action: { kind: 'clear-protection', instanceId: instance.id },
        afterMs: secondReadingMs,
      }))
  );
}

function staleWarmMembers({ group, runners }: ReconcileFacts): Suspicion[] {
  const offline = new Set(runners.filter((runner) => runner.status === 'offline').map(instanceOf));
  return group.instances
    .filter(({ id, lifecycleState }) => parked.test(lifecycleState) && offline.has(id))
    .map(({ id }) => ({
      key: `warm:${id}`,
      because: 'warm-member-offline-for-13-days',
      action: { kind: 'replace-warm-member', instanceId: id },
      afterMs: warmMemberMaxOfflineMs,
    }));
}
