import { labels } from '@drover/core/names/runner-fleet';
import type { FleetInstance, FoundRunner, HostReport, SentCommand } from '../model/fleet.ts';
import type { BusyReading } from '../model/memory.ts';

/** Facts of the deregistration function about one instance in a termination wait. */
export interface DrainFacts {
  readonly instance: FleetInstance;
  /** When the termination began. */
  readonly since: number;
  readonly allowedDrainTimeMs: number;
  readonly host: HostReport | undefined;
  /** Commands sent since the termination began. */
  readonly commands: readonly SentCommand[];
  readonly runner: FoundRunner | 'absent' | 'unreadable';
  /** Earlier and present readings of this runner's `busy`, oldest first. */
  readonly busyReadings: readonly BusyReading[];
  readonly unreachablePasses: number;
}

export type DrainAction =
  | { readonly kind: 'take-labels'; readonly runnerId: number; readonly keep: readonly string[] }
  /** `ifRemoved`: what follows a removal that succeeded, in place of the actions after this one. */
  | { readonly kind: 'remove-runner'; readonly runnerId: number; readonly ifRemoved?: DrainDecision }
  /** `ifUnknown`: what follows when no remote agent ever registered for the instance. */
  | { readonly kind: 'tell-host'; readonly message: HostMessage; readonly ifUnknown?: DrainDecision }
  | { readonly kind: 'delete-secret' }
  | { readonly kind: 'complete'; readonly because: CompletionReason };

export type HostMessage = 'drain' | 'removed' | 'platform-unreachable';
export type CompletionReason = 'warm-pool-member' | 'allowed-drain-time-over' | 'host-dead';
export type DrainReason =
  | CompletionReason
  | 'runner-removed-host-finishes'
  | 'idle-on-two-readings'
  | 'platform-unreadable'
  | 'platform-unreachable-host-decides'
  | 'host-has-not-reported'
  | 'job-running'
  | 'host-report-too-old'
  | 'second-reading-due';

export interface DrainDecision {
  readonly because: DrainReason;
  readonly actions: readonly DrainAction[];
}

/** How long a host's report on its Workers counts. */
export const hostFreshMs = 60_000;
/** Two readings of `busy` must be at least this far apart. */
export const readingGapMs = 60_000;
/** A host that has been silent this long, and that commands do not reach, is dead. */
export const hostSilentMs = 5 * 60_000;
/** A command without an outcome is sent again after this. */
const resendMs = 3 * 60_000;

/** The guard of one drain: the host owns it, this acts where the host cannot. Pure. */
export function decideDrain(facts: DrainFacts, now: number): DrainDecision {
  if (facts.instance.lifecycleState.startsWith('Warmed:')) return finish(facts, 'warm-pool-member');
  if (now - facts.since >= facts.allowedDrainTimeMs) return finish(facts, 'allowed-drain-time-over');
  if (isHostDead(facts, now) || hadNoAgent(facts) || neverBooted(facts)) return finish(facts, 'host-dead');
  if (facts.runner === 'absent') return afterRemoval(facts, now);
  if (facts.runner === 'unreadable') return whileUnreadable(facts, now);
  if (mayRemove(facts, now))
    return {
      because: 'idle-on-two-readings',
      actions: [{ kind: 'remove-runner', runnerId: facts.runner.id, ifRemoved: afterRemoval(facts, now) }],
    };
  const { because, actions } = tell(facts, now, 'drain', waitReason(facts, now));
  return { because, actions: [...takeLabels(facts.runner), ...actions] };
}

const afterRemoval = (facts: DrainFacts, now: number) =>
  tell({ ...facts, runner: 'absent' }, now, 'removed', 'runner-removed-host-finishes');

/**
 * As long as the runner has the labels that jobs ask for, the platform gives it the next job, and on a busy fleet the
 * quiet minute that the removal needs would never come.
 */
function takeLabels(runner: FoundRunner): DrainAction[] {
  const keep = runner.customLabels.filter(labels.isOwn);
  return keep.length === runner.customLabels.length ? [] : [{ kind: 'take-labels', runnerId: runner.id, keep }];
}

/** Ends the wait ourselves: the runner is removed if the platform lets us, the sweep removes what is left. */
function finish(facts: DrainFacts, because: CompletionReason): DrainDecision {
  const remove: DrainAction[] =
    typeof facts.runner === 'object' ? [{ kind: 'remove-runner', runnerId: facts.runner.id }] : [];
  return { because, actions: [...remove, { kind: 'delete-secret' }, { kind: 'complete', because }] };
}

/** Dead: commands that never arrive, and no report either. */
const isHostDead = (facts: DrainFacts, now: number): boolean =>
  isSilent(facts, now) && facts.commands.some((command) => command.outcome !== 'succeeded');

/**
 * The launch was given up before Puppet had installed the agent: no report, no runner, and the host says that there is no such
 * command. Nothing but the agent starts a runner, so there is no job to wait for.
 */
const hadNoAgent = ({ host, runner, commands }: DrainFacts): boolean =>
  host === undefined && runner === 'absent' && commands.some(({ outcome }) => outcome === 'failed');

/** The boot failed, so that the instance was never in service and no runner was started. */
const neverBooted = ({ host }: DrainFacts): boolean => host?.phase === 'failed';

/** A host without a remote agent is dead when it is silent, too, or has never reported. */
const isDeadWithoutAgent = (facts: DrainFacts, now: number): boolean =>
  isSilent(facts, now) || facts.host === undefined;

/** A command that succeeded is a sign of life, too: a host that may not report still drains. */
const isSilent = ({ host, since, commands }: DrainFacts, now: number) => {
  const arrived = commands.filter(({ outcome }) => outcome === 'succeeded').map(({ sentAt }) => sentAt);
  return now - Math.max(host?.at ?? 0, since, ...arrived) >= hostSilentMs;
};

/** DELETE only when a fresh report of the host and two readings of the platform agree that nothing runs. */
function mayRemove(facts: DrainFacts, now: number): boolean {
  const { host, busyReadings } = facts;
  if (host === undefined || host.workers > 0 || now - host.at >= hostFreshMs) return false;
  const idleSince = busyReadings.slice(busyReadings.findLastIndex((reading) => reading.busy) + 1)[0];
  const last = busyReadings.at(-1);
  return idleSince !== undefined && last !== undefined && last.at - idleSince.at >= readingGapMs;
}

function whileUnreadable(facts: DrainFacts, now: number): DrainDecision {
  if (facts.unreachablePasses >= 2)
    return tell(facts, now, 'platform-unreachable', 'platform-unreachable-host-decides');
  return tell(facts, now, 'drain', 'platform-unreadable');
}

function waitReason(facts: DrainFacts, now: number): DrainReason {
  if (facts.host === undefined) return 'host-has-not-reported';
  if (facts.host.workers > 0) return 'job-running';
  return now - facts.host.at >= hostFreshMs ? 'host-report-too-old' : 'second-reading-due';
}

/**
 * Sends `message` unless it was sent already, or the host says by itself that it drains. Its report counts while it is
 * fresh: a host that died during its drain must get the command again, or its death would not be noticed.
 */
function tell(facts: DrainFacts, now: number, message: HostMessage, because: DrainReason): DrainDecision {
  const { host } = facts;
  const drains = host?.phase === 'draining' && now - host.at < hostFreshMs;
  const sent = facts.commands.filter((command) => command.command === commandOf(message)).at(-1);
  const recently = sent !== undefined && now - sent.sentAt < resendMs;
  const known = message === 'drain' ? drains : sent?.outcome === 'succeeded';
  if (recently || known) return { because, actions: [] };
  const ifUnknown = isDeadWithoutAgent(facts, now) ? { ifUnknown: finish(facts, 'host-dead') } : {};
  return { because, actions: [{ kind: 'tell-host', message, ...ifUnknown }] };
}

/** The command line on the host for each message. */
export const commandOf = (message: HostMessage): string =>
  message === 'drain' ? 'runner-agent drain' : `runner-agent drain --${message}`;
