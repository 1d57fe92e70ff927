/** What the agent on a runner instance knows in one round. */
export interface HostFacts {
  /** From the instance metadata: where the instance is going. Undefined when it could not be read. */
  readonly targetState: string | undefined;
  /** A remote command ordered a drain, and what it said. */
  readonly drain: DrainOrder | undefined;
  readonly spotNoticeAt: number | undefined;
  readonly workers: number;
  /** When a Worker was last seen; the agent's start if never. */
  readonly lastWorkerAt: number;
  readonly serviceActive: boolean;
  readonly protectedFromScaleIn: boolean;
  /** When this agent saw that it has to drain. */
  readonly drainingSince: number | undefined;
  /** The listener is kept from the platform. */
  readonly silenced: boolean;
  /** When this agent did that. */
  readonly silencedSince: number | undefined;
  readonly lastHeartbeatAt: number | undefined;
  readonly lastReportAt: number | undefined;
  readonly lastReport: { readonly workers: number; readonly phase: string } | undefined;
}

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
  | { readonly kind: 'silence'; readonly on: boolean }
  | { readonly kind: 'stop-runner' }
  | { readonly kind: 'complete-termination' };

/** Why the runner may be stopped. */
export type StopReason = 'spot-notice' | 'runner-removed' | SilenceReason;
type SilenceReason = 'platform-unreachable' | 'idle-and-alone';

/** `starting`: in no drain, but the runner service does not run (yet): the start gate decides. */
export type HostDecision =
  | { readonly phase: 'starting'; readonly because: 'service-not-active'; readonly actions: readonly [] }
  | { readonly phase: 'serving'; readonly because: 'in-service'; readonly actions: readonly HostAction[] }
  | {
      readonly phase: 'draining';
      readonly because: 'job-running' | 'waiting-for-removal';
      readonly actions: readonly HostAction[];
    }
  | { readonly phase: 'stopped'; readonly because: StopReason; readonly actions: readonly HostAction[] };

/** After the runner's removal, or a listener's silence, no Worker may appear for so long. */
export const quietMs = 60_000;
/** Without any command, an idle host stops by itself after this. */
export const aloneMs = 5 * 60_000;
/** A third of the hook's timeout of 1800 s. */
export const heartbeatEveryMs = 600_000;
export const reportEveryMs = 5 * 60_000;
export const reportWhileDrainingMs = 20_000;

/** What the agent does now: protect, report, drain, stop. The listener is never signalled while a Worker lives. Pure. */
export function decideHost(facts: HostFacts, now: number): HostDecision {
  const draining = isDraining(facts);
  if (!draining && !facts.serviceActive) return { phase: 'starting', because: 'service-not-active', actions: [] };
  const report = reportDue(facts, draining, now) ? [{ kind: 'report' } as const] : [];
  if (!draining) return { phase: 'serving', because: 'in-service', actions: [...protection(facts), ...report] };
  const stop = stopReason(facts, now);
  if (stop === undefined)
    return {
      phase: 'draining',
      because: waiting(facts),
      actions: [...silence(facts, now), ...report, ...heartbeat(facts, now)],
    };
  return { phase: 'stopped', because: stop, actions: [{ kind: 'stop-runner' }, { kind: 'complete-termination' }] };
}

const isDraining = (facts: HostFacts) =>
  facts.drainingSince !== undefined ||
  facts.drain !== undefined ||
  facts.spotNoticeAt !== undefined ||
  facts.targetState === 'Terminated' ||
  facts.targetState === 'Warmed:Terminated';

/** Protection steers the group away from a busy host; it is not the truth about it. */
function protection(facts: HostFacts): HostAction[] {
  const wanted = facts.workers > 0;
  return wanted === facts.protectedFromScaleIn ? [] : [{ kind: 'protect', on: wanted }];
}

/**
 * Why the runner may be stopped now. Where the platform does not know that the runner leaves, it could give it a job in
 * the very second in which the listener is interrupted: so the listener is silenced first, and any job that had reached it
 * has shown its Worker before the stop.
 */
function stopReason(facts: HostFacts, now: number): StopReason | undefined {
  if (facts.workers > 0) return undefined;
  if (facts.spotNoticeAt !== undefined) return 'spot-notice';
  const { removedAt } = facts.drain ?? {};
  if (removedAt !== undefined && now - Math.max(removedAt, facts.lastWorkerAt) >= quietMs) return 'runner-removed';
  const silentFor = facts.silenced && facts.silencedSince !== undefined ? now - facts.silencedSince : 0;
  return silentFor >= quietMs ? silenceReason(facts, now) : undefined;
}

/** Why the listener should be silent: no command said that its runner is removed. */
function silenceReason(facts: HostFacts, now: number): SilenceReason | undefined {
  if (facts.workers > 0) return undefined;
  if (facts.drain?.unreachableAt !== undefined) return 'platform-unreachable';
  const since = Math.max(facts.drainingSince ?? now, facts.lastWorkerAt);
  return now - since >= aloneMs - quietMs ? 'idle-and-alone' : undefined;
}

function silence(facts: HostFacts, now: number): HostAction[] {
  const wanted = silenceReason(facts, now) !== undefined;
  const is = wanted ? facts.silenced && facts.silencedSince !== undefined : facts.silenced;
  return wanted === is ? [] : [{ kind: 'silence', on: wanted }];
}

const waiting = (facts: HostFacts) => (facts.workers > 0 ? 'job-running' : 'waiting-for-removal');

function heartbeat(facts: HostFacts, now: number): HostAction[] {
  const due = facts.lastHeartbeatAt === undefined || now - facts.lastHeartbeatAt >= heartbeatEveryMs;
  return due ? [{ kind: 'heartbeat' }] : [];
}

function reportDue(facts: HostFacts, draining: boolean, now: number): boolean {
  if (facts.lastReportAt === undefined || facts.lastReport === undefined) return true;
  if (facts.lastReport.workers !== facts.workers) return true;
  if ((facts.lastReport.phase === 'draining') !== draining) return true;
  return now - facts.lastReportAt >= (draining ? reportWhileDrainingMs : reportEveryMs);
}
