import type { HostPhase, HostReport, UnfitReason } from '../model/fleet.ts';
import { decideFinished, type FinishedReason, isHung, type OneJobFacts } from './decide-finished.ts';

/** The agent's facts on a runner instance in one round. */
export interface HostFacts {
  /** From the instance metadata: where the instance is going. Undefined when it could not be read. */
  readonly targetState: string | undefined;
  /** A remote command ordered a drain, and what it said. */
  readonly drain: DrainOrder | undefined;
  readonly spotNoticeAt: number | undefined;
  readonly workers: number;
  /** When a Worker was last seen; the agent's start if never. */
  readonly lastWorkerAt: number;
  /** When the listener said that it has begun a job of which no Worker was seen since. Only looked up while the listener may have to go. */
  readonly jobBegunAt: number | undefined;
  /** A job failed before it had started, and the host found itself unable to begin any. */
  readonly broken?: boolean;
  /** The unit's real state: a listener runs. */
  readonly serviceActive: boolean;
  /** Since when a Worker lives without a listener; undefined while none does. */
  readonly orphanedSince: number | undefined;
  readonly freeBytes: number;
  readonly protectedFromScaleIn: boolean;
  /** When this agent saw that it has to drain. */
  readonly drainingSince: number | undefined;
  /** How far the listener is kept from the platform. */
  readonly silence: Silence;
  /** When this agent did that. */
  readonly silencedSince: number | undefined;
  readonly lastHeartbeatAt: number | undefined;
  readonly lastReportAt: number | undefined;
  readonly lastReport: Pick<HostReport, 'workers' | 'phase' | 'listening' | 'unfit' | 'reclaimed'> | undefined;
  /** Only in jobs mode: the runner serves one job. */
  readonly oneJob?: OneJobFacts | undefined;
}

/**
 * How far the listener is kept from the platform. `new-connections`: a request that is under way can finish; a next step of a job has a connection
 * of its own and cannot begin. `requests`: it can receive, but say nothing.
 */
export type Silence = 'off' | 'new-connections' | 'requests';

export interface DrainOrder {
  readonly at: number;
  /** When the function said that the runner is removed at the platform. */
  readonly removedAt?: number;
  /** When the function said that the platform cannot be reached. */
  readonly unreachableAt?: number;
}

export type HostAction =
  | { readonly kind: 'protect'; readonly on: boolean }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'report' }
  | { readonly kind: 'silence'; readonly stage: Silence }
  | { readonly kind: 'stop-runner' }
  | { readonly kind: 'complete-termination' };

/** Why the runner may be stopped. */
export type StopReason = 'spot-notice' | 'runner-removed' | FinishedReason | SilenceReason;
type SilenceReason = 'platform-unreachable' | 'idle-and-alone';

/** `starting`: in no drain, but the runner service does not run (yet): the start gate decides. */
export type HostDecision =
  | Decided<'starting', 'service-not-active'>
  | Decided<'serving', 'in-service' | 'listener-ended-before-its-job' | 'listener-hangs-after-its-job'>
  | Decided<'finished', FinishedReason>
  | Decided<'unfit', UnfitReason>
  | Decided<'draining', 'job-running' | 'waiting-for-removal'>
  | Decided<'stopped', StopReason>;

interface Decided<Phase, Reason> {
  readonly phase: Phase;
  readonly because: Reason;
  readonly actions: readonly HostAction[];
}

/** How long no Worker may appear after the runner is removed, and in each stage of silencing the listener. */
export const quietMs = 60_000;
/** Without any command, an idle host stops by itself after this. */
export const aloneMs = 5 * 60_000;
/** A third of the hook's timeout of 1800 s. */
export const heartbeatEveryMs = 600_000;
export const reportEveryMs = 5 * 60_000;
export const reportWhileDrainingMs = 20_000;
/** A listener has the next of the jobs that wait, and its Worker, within this time of the last one. */
export const betweenJobsMs = 15_000;
/** With less free space a host takes no further job. */
export const leastFreeBytes = 1024 ** 3;
/** The platform gives up a job ten minutes after the last sign of its listener: a Worker that lives on works for nothing. */
export const orphanLeaseMs = 15 * 60_000;
/** The platform keeps a job for the runner that acquired it for ten minutes: without a Worker until then it is lost. */
export const acquiredLeaseMs = 10 * 60_000;

/** A job runs here, or has been acquired and its Worker is still to come: its listener must neither be silent nor be stopped. */
const hasJob = ({ workers, jobBegunAt }: HostFacts, now: number): boolean =>
  workers > 0 || (jobBegunAt !== undefined && now - jobBegunAt < acquiredLeaseMs);

/** Whether the host may stop its listener soon, so that it matters whether that has begun a job. */
export const mayStopListener = (facts: HostFacts): boolean =>
  facts.serviceActive && facts.workers === 0 && (isDraining(facts) || facts.silence !== 'off');

/**
 * Decides what the agent does now: protect, report, drain, stop. The listener is never signalled while a Worker lives.
 * Pure.
 */
export function decideHost(facts: HostFacts, now: number): HostDecision {
  const finished = decideFinished(facts);
  if (!isDraining(facts))
    return finished === undefined
      ? outsideDrain(facts, now)
      : {
          phase: 'finished',
          because: finished,
          actions: report(facts, now, 'finished', facts.broken === true ? 'broken' : undefined),
        };
  const stop = finished ?? stopReason(facts, now);
  if (stop === undefined)
    return {
      phase: 'draining',
      because: hasJob(facts, now) ? 'job-running' : 'waiting-for-removal',
      // The heartbeat first: without it the hook ends, and the job with it.
      actions: [
        ...heartbeat(facts, now),
        ...silence(facts, now, takesNoFurtherJob(facts, now)),
        ...report(facts, now, 'draining'),
      ],
    };
  const stopRunner: HostAction[] = facts.serviceActive ? [{ kind: 'stop-runner' }] : [];
  return { phase: 'stopped', because: stop, actions: [...stopRunner, { kind: 'complete-termination' }] };
}

function outsideDrain(facts: HostFacts, now: number): HostDecision {
  const unfit = unfitBecause(facts, now);
  if (unfit !== undefined)
    return { phase: 'unfit', because: unfit, actions: [...retire(facts, now), ...report(facts, now, 'unfit', unfit)] };
  if (!facts.serviceActive && facts.workers === 0)
    return {
      phase: 'starting',
      because: 'service-not-active',
      actions: facts.lastReport === undefined ? [] : report(facts, now, 'serving'),
    };
  if (isHung(facts, now))
    return { phase: 'serving', because: 'listener-hangs-after-its-job', actions: [{ kind: 'stop-runner' }] };
  return {
    phase: 'serving',
    because: facts.serviceActive ? 'in-service' : 'listener-ended-before-its-job',
    actions: [...silence(facts, now, false), ...protection(facts, now), ...report(facts, now, 'serving')],
  };
}

const isDraining = (facts: HostFacts) =>
  facts.drainingSince !== undefined ||
  facts.drain !== undefined ||
  facts.spotNoticeAt !== undefined ||
  facts.targetState === 'Terminated' ||
  facts.targetState === 'Warmed:Terminated';

/**
 * A full disk counts between jobs only: a job may use all of it, and clean-up follows its end. Before the first listener it
 * is for the start gate to judge, which gives such a launch up.
 */
function unfitBecause(facts: HostFacts, now: number): UnfitReason | undefined {
  if (facts.orphanedSince !== undefined && now - facts.orphanedSince >= orphanLeaseMs) return 'worker-without-listener';
  if (facts.broken === true) return 'broken';
  const served = facts.serviceActive || facts.lastReport !== undefined;
  return served && facts.workers === 0 && facts.freeBytes < leastFreeBytes ? 'disk-full' : undefined;
}

/** An unfit host takes no further job and stays until the sweep has it replaced, or it is fit again. */
function retire(facts: HostFacts, now: number): HostAction[] {
  if (!facts.serviceActive || facts.workers > 0) return [];
  if (hasJob(facts, now)) return silence(facts, now, false);
  return isSilentEnough(facts, now) ? [{ kind: 'stop-runner' }] : silence(facts, now, true);
}

/**
 * Protection steers the group away from a busy host; it is not the truth about it. It outlasts a job: where jobs wait, the next one comes within
 * seconds, and a group that scales in between the two would choose this host. In jobs mode the group protects every host.
 */
function protection(facts: HostFacts, now: number): HostAction[] {
  if (facts.oneJob !== undefined) return [];
  const betweenJobs = facts.protectedFromScaleIn && now - facts.lastWorkerAt < betweenJobsMs;
  const wanted = facts.workers > 0 || betweenJobs;
  return wanted === facts.protectedFromScaleIn ? [] : [{ kind: 'protect', on: wanted }];
}

/**
 * Why the runner may be stopped now. Where the platform does not know that the runner leaves, it could give it a job in
 * the very second in which the listener is interrupted: so the listener is silenced first. A job that it had acquired by then it has
 * announced before the stop, and the silence ends.
 */
function stopReason(facts: HostFacts, now: number): StopReason | undefined {
  if (hasJob(facts, now)) return undefined;
  if (facts.spotNoticeAt !== undefined) return 'spot-notice';
  const { removedAt } = facts.drain ?? {};
  const quiet = facts.serviceActive ? quietMs : 0;
  if (removedAt !== undefined && now - Math.max(removedAt, facts.lastWorkerAt) >= quiet) return 'runner-removed';
  return isSilentEnough(facts, now) ? unremovedReason(facts, now) : undefined;
}

const stageIsOver = ({ silencedSince }: HostFacts, now: number) =>
  silencedSince !== undefined && now - silencedSince >= quietMs;

/** Without a listener there is none to silence. */
const isSilentEnough = (facts: HostFacts, now: number) =>
  !facts.serviceActive || (facts.silence === 'requests' && stageIsOver(facts, now));

/**
 * A host that drains takes no further job, whether or not a function gets through to the platform: a job that is sent to a silent
 * listener is queued again, one that begins here would end with the drain time. After its removal a runner is sent none, and the
 * listener ends by itself when it is let through.
 */
const takesNoFurtherJob = (facts: HostFacts, now: number) =>
  !hasJob(facts, now) && facts.drain?.removedAt === undefined;

/** Why a silent host may stop: no command said that its runner is removed. */
function unremovedReason(facts: HostFacts, now: number): SilenceReason | undefined {
  if (hasJob(facts, now)) return undefined;
  if (facts.drain?.unreachableAt !== undefined) return 'platform-unreachable';
  const since = Math.max(facts.drainingSince ?? now, facts.lastWorkerAt);
  return now - since >= aloneMs ? 'idle-and-alone' : undefined;
}

/** From stage to stage. A stage that an agent before this one began is begun again: when that was is not known. */
function silence(facts: HostFacts, now: number, wanted: boolean): HostAction[] {
  const { silence: is, silencedSince } = facts;
  if (!wanted) return is === 'off' ? [] : [{ kind: 'silence', stage: 'off' }];
  if (!facts.serviceActive) return [];
  if (is === 'off' || silencedSince === undefined) return [{ kind: 'silence', stage: 'new-connections' }];
  return is === 'new-connections' && stageIsOver(facts, now) ? [{ kind: 'silence', stage: 'requests' }] : [];
}

function heartbeat(facts: HostFacts, now: number): HostAction[] {
  const due = facts.lastHeartbeatAt === undefined || now - facts.lastHeartbeatAt >= heartbeatEveryMs;
  return due ? [{ kind: 'heartbeat' }] : [];
}

/** Whether it is time for a report: something changed, or the last one is too old. */
function report(facts: HostFacts, now: number, phase: HostPhase, unfit?: UnfitReason): HostAction[] {
  const { lastReport, lastReportAt } = facts;
  const due =
    lastReport === undefined ||
    lastReportAt === undefined ||
    lastReport.workers !== facts.workers ||
    lastReport.listening !== facts.serviceActive ||
    lastReport.phase !== phase ||
    lastReport.unfit !== unfit ||
    (lastReport.reclaimed === true) !== (facts.spotNoticeAt !== undefined) ||
    now - lastReportAt >= (phase === 'draining' ? reportWhileDrainingMs : reportEveryMs);
  return due ? [{ kind: 'report' }] : [];
}
