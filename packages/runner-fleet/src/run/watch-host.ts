import { type Clock, describeError, TransientError } from '@drover/core';
import { hooks } from '@drover/core/names/runner-fleet';
import {
  decideHost,
  type HostAction,
  type HostDecision,
  type HostFacts,
  mayStopListener,
  type Silence,
} from '../decide/decide-host.ts';
import {
  decideGatePause,
  decideStart,
  firstGatePauses,
  gatePauseMs,
  pausesAfterBootstrap,
} from '../decide/decide-start.ts';
import type { OwnMetadata } from '../host-ports.ts';
import type { HostPhase, HostReport, UnfitReason } from '../model/fleet.ts';
import { ListenerWatch, lookAtListener, noteStart } from './look-at-listener.ts';
import { type FlawWatch, lookForFlaw } from './look-for-flaw.ts';
import { abandonBootstrap, type RegisterPorts, registerRunner } from './register-runner.ts';

export interface WatchPorts extends RegisterPorts {
  readonly metadata: OwnMetadata;
  readonly signal?: AbortSignal;
  /** Of the runner software, for the reports. */
  readonly runnerVersion?: string;
  /** Jobs mode: the runner serves one job. */
  readonly ephemeral: boolean;
}

/** The agent's memory while it lives. All of it can be lost: the next round reads it again. */
class Watch {
  phase: HostPhase = 'registering';
  /** The wait state in which hook `bootstrap` was completed: entering the warm pool and leaving it are two waits. */
  bootstrapCompletedIn: string | undefined;
  /** When AWS was last asked at the start gate, what the host looked like then, how often that has led to nothing, and pauses before the next looks. */
  gate: Gate = { askedAt: 0, seen: '', waits: 0, pauses: firstGatePauses };
  listener = new ListenerWatch();
  orphanedSince: number | undefined;
  flaw: FlawWatch = { suspected: false, found: undefined };
  /** Nothing of a job is left that this agent saw. */
  cleaned = false;
  lastWorkerAt: number;
  /** There was a Worker in the last round. */
  working = false;
  /** When this agent saw a Worker; undefined if never. */
  workerSeenAt: number | undefined;
  drainingSince: number | undefined;
  /** How often the hook of the termination could not be completed since the runner was stopped. */
  refusals = 0;
  /** The runner is stopped for good and the instance may go: nothing is left to do. */
  ended = false;
  protectedFromScaleIn = false;
  silencedSince: number | undefined;
  lastHeartbeatAt: number | undefined;
  lastReportAt: number | undefined;
  lastReport: HostReport | undefined;
  reportsFail = false;
  launchedAt: number | undefined;
  atRisk = false;
  reclaimed = false;

  constructor(startedAt: number) {
    this.lastWorkerAt = startedAt;
  }
}

type Gate = { askedAt: number; seen: string; waits: number; pauses: readonly number[] };

/** Time between two rounds while the runner service runs, unless something happens. */
export const watchPauseMs = 15_000;
/**
 * A host that has nothing to finish is ready before its instance waits for it, which takes a second or two: the hook is tried again soon. Later
 * tries are for an instance that was stopped before it was terminated.
 */
const refusedPauseMs = 2_000;
const quickTries = 10;
/** A report that takes longer is given up: what follows it matters more. */
const reportWithinMs = 10_000;
/** Longer than any round or pause: the machine was hibernated, or its clock was set. */
const clockLeapMs = 15 * 60_000;

/**
 * The agent's life: register, wait at the start gate, serve, drain. Ends when the runner is stopped for good. It has no
 * deadline, and a change on the host ends its pauses, so that it is no `waitFor`.
 */
export async function watchHost(ports: WatchPorts): Promise<void> {
  const { clock } = ports;
  const watch = new Watch(clock.now());
  for (let before = clock.now(); ports.signal?.aborted !== true; before = clock.now()) {
    const pauseMs = await oneRound(ports, watch);
    if (watch.ended) return;
    await ports.host.waitForChange(pauseMs);
    const passedMs = clock.now() - before;
    if (passedMs < 0 || passedMs > clockLeapMs) startTimersAgain(ports, watch, passedMs);
  }
}

/** Times of before a leap of the clock say nothing about how long something lasted: every wait starts over. */
function startTimersAgain({ clock, log }: WatchPorts, watch: Watch, passedMs: number): void {
  const now = clock.now();
  const again = (since: number | undefined) => (since === undefined ? undefined : now);
  log.warn('the clock leapt: this host was hibernated, or its time was set', { seconds: Math.round(passedMs / 1000) });
  watch.lastWorkerAt = now;
  watch.drainingSince = again(watch.drainingSince);
  watch.silencedSince = undefined;
  watch.orphanedSince = again(watch.orphanedSince);
  const { since, notBefore } = watch.listener;
  watch.listener = { ...watch.listener, since: again(since), ends: 0, notBefore: again(notBefore) };
  watch.lastHeartbeatAt = undefined;
  watch.lastReportAt = undefined;
  watch.gate.askedAt = 0;
}

/** One round; a failing call is logged and the next round tries again, for nothing here may end the agent. */
async function oneRound(ports: WatchPorts, watch: Watch): Promise<number> {
  try {
    const facts = await gather(ports, watch);
    const decision = decideHost(facts, ports.clock.now());
    await carryOut(ports, watch, facts, decision);
    if (decision.phase === 'starting') return await passGate(ports, watch, facts);
    if (decision.phase === 'stopped') return watch.refusals > quickTries ? watchPauseMs : refusedPauseMs;
  } catch (error) {
    ports.log.warn('this look failed; looking again', { error: describeError(error) });
  }
  return watchPauseMs;
}

async function gather(ports: WatchPorts, watch: Watch): Promise<HostFacts> {
  const { host, metadata, clock } = ports;
  const [targetState, spotNoticeAt, atRisk, launchedAt] = await Promise.all([
    metadata.targetLifecycleState(),
    metadata.spotNoticeAt(),
    metadata.isAtRisk(),
    watch.launchedAt ?? metadata.launchedAt(),
  ]);
  watch.atRisk = atRisk;
  watch.reclaimed = spotNoticeAt !== undefined;
  watch.launchedAt = launchedAt;
  const service = host.service();
  const workers = host.workers();
  // The first round without a Worker is when its job has just ended, long after the round before.
  if (workers > 0 || watch.working) watch.lastWorkerAt = clock.now();
  if (workers > 0) watch.workerSeenAt = clock.now();
  watch.working = workers > 0;
  watch.orphanedSince = workers > 0 && !service.active ? (watch.orphanedSince ?? clock.now()) : undefined;
  await lookForFlaw(ports, watch.flaw);
  if (workers > 0) watch.cleaned = false;
  else if (!watch.cleaned) clean(ports, watch);
  const oneJob = await lookAtListener(ports, watch.listener, service, workers);
  const facts: HostFacts = {
    targetState,
    spotNoticeAt,
    workers,
    jobBegunAt: undefined,
    drain: host.drainOrder(),
    serviceActive: service.active,
    broken: watch.flaw.found !== undefined,
    freeBytes: host.freeBytes(),
    silence: host.silenced(),
    oneJob,
    lastWorkerAt: watch.lastWorkerAt,
    orphanedSince: watch.orphanedSince,
    protectedFromScaleIn: watch.protectedFromScaleIn,
    drainingSince: watch.drainingSince,
    silencedSince: watch.silencedSince,
    lastHeartbeatAt: watch.lastHeartbeatAt,
    lastReportAt: watch.lastReportAt,
    lastReport: watch.lastReport,
  };
  return mayStopListener(facts) ? { ...facts, jobBegunAt: await jobBegun(ports, watch) } : facts;
}

/**
 * A Worker that was seen since is that job's; when it is gone the job is over. Where the journal cannot be read, Workers alone count: a host that
 * cannot read still reports, heartbeats and ends.
 */
async function jobBegun({ host, log }: WatchPorts, { workerSeenAt = 0 }: Watch): Promise<number | undefined> {
  try {
    const at = await host.jobBegunAt();
    return at !== undefined && at > workerSeenAt ? at : undefined;
  } catch (error) {
    log.warn('whether the listener has begun a job could not be read', { error: describeError(error) });
    return undefined;
  }
}

/** A job too short to be seen is followed by its successor's started hook, which does the same. */
function clean({ host, log }: WatchPorts, watch: Watch): void {
  try {
    const ended = host.cleanBetweenJobs();
    watch.cleaned = true;
    if (ended > 0) log.info('processes that a job had left are ended', { processes: ended });
  } catch (error) {
    log.warn('what a job has left could not be cleaned up', { error: describeError(error) });
  }
}

/** The start gate: registers, completes hook `bootstrap`, starts the service; returns the pause until the next round. */
async function passGate(ports: WatchPorts, watch: Watch, { targetState }: HostFacts): Promise<number> {
  const { host, place, clock } = ports;
  const configured = host.isConfigured();
  const seen = [targetState, host.boot(), configured].join('/');
  if (seen !== watch.gate.seen) watch.gate = { ...watch.gate, askedAt: 0, seen, waits: 0 };
  // The host's own state is read in each round; AWS's limits are shared by the whole account.
  const [soon = decideGatePause(watch.gate.waits), ...pauses] = watch.gate.pauses;
  if (clock.now() < watch.gate.askedAt + soon) return watch.gate.pauses[0] ?? gatePauseMs;
  const [lifecycleState, tokenWaits] = await Promise.all([place.lifecycleState(), ports.token.exists()]);
  watch.gate = { askedAt: clock.now(), seen, waits: watch.gate.waits + 1, pauses };
  const bootstrapCompleted = lifecycleState !== undefined && watch.bootstrapCompletedIn === lifecycleState;
  const { notBefore = 0 } = watch.listener;
  const { ephemeral } = ports;
  const facts = { lifecycleState, tokenWaits, configured, boot: host.boot(), bootstrapCompleted, notBefore, ephemeral };
  const decision = decideStart(facts, clock.now());
  switch (decision.kind) {
    case 'abandon':
      return await abandonBootstrap(ports, 'cloud-init or post_runcmd failed');
    case 'register':
      watch.gate.askedAt = 0;
      return await registerRunner(ports);
    case 'complete-bootstrap':
      await place.completeHook(hooks.bootstrap.name, 'CONTINUE');
      watch.bootstrapCompletedIn = lifecycleState;
      watch.gate = { askedAt: clock.now(), seen, waits: 0, pauses: pausesAfterBootstrap };
      return pausesAfterBootstrap[0];
    case 'start-service':
      watch.gate = { askedAt: 0, seen, waits: 0, pauses: [] };
      await startListener(ports, watch);
      return gatePauseMs;
    case 'wait':
      // In service already, so that each minute is one without a runner.
      if (decision.because === 'listener-ended-lately') watch.gate.waits = 0;
      return pauses[0] ?? gatePauseMs;
  }
}

/** A Worker that appeared since the facts were gathered keeps a second listener away: that would take a job beside it. */
async function startListener(ports: WatchPorts, watch: Watch): Promise<void> {
  const { host, log } = ports;
  if (host.workers() > 0) return;
  if (host.silenced() !== 'off') await silence(ports, watch, 'off');
  noteStart(ports, watch.listener);
  await host.startService();
  // The next end is one of its own, even if it comes before the next look.
  watch.listener = { ...watch.listener, since: ports.clock.now(), notBefore: undefined };
  watch.phase = 'serving';
  log.info('the runner service is started');
  await report(ports, watch, { workers: host.workers(), listening: true });
}

async function carryOut(ports: WatchPorts, watch: Watch, facts: HostFacts, decision: HostDecision): Promise<void> {
  const { phase, because } = decision;
  if (phase === 'draining' && watch.drainingSince === undefined) {
    watch.drainingSince = ports.clock.now();
    ports.log.info('draining', { because });
  }
  if (phase === 'unfit' && watch.phase !== 'unfit') ports.log.error('this host takes no further job', { because });
  if (phase === 'finished' && watch.phase !== 'finished') ports.log.info('finished', { because });
  if (phase !== 'starting' && phase !== 'stopped') watch.phase = phase;
  const unfit = phase === 'unfit' ? decision.because : undefined;
  for (const action of decision.actions) await apply(ports, watch, facts, action, unfit);
  if (phase === 'stopped') {
    if (watch.phase === 'stopped') return;
    ports.log.info('stopped', { because });
    watch.phase = 'stopped';
    await report(ports, watch, { workers: 0, listening: false });
  }
}

async function apply(
  ports: WatchPorts,
  watch: Watch,
  facts: HostFacts,
  action: HostAction,
  unfit: UnfitReason | undefined,
): Promise<void> {
  switch (action.kind) {
    case 'protect':
      if ((await ports.place.protect(action.on)) === 'done') watch.protectedFromScaleIn = action.on;
      return;
    case 'heartbeat':
      await ports.place.heartbeat(hooks.deregistration.name);
      watch.lastHeartbeatAt = ports.clock.now();
      return;
    case 'report': {
      const { workers, freeBytes, serviceActive: listening } = facts;
      return await report(ports, watch, { workers, freeBytes, listening, ...(unfit === undefined ? {} : { unfit }) });
    }
    case 'silence':
      return await silence(ports, watch, action.stage);
    case 'stop-runner':
      return await ports.host.stopService();
    case 'complete-termination':
      watch.ended = (await ports.place.completeHook(hooks.deregistration.name, 'CONTINUE')) === 'accepted';
      watch.refusals += 1;
      return;
  }
}

const silenceNews: Readonly<Record<Silence, string>> = {
  off: 'the listener may speak to the platform again',
  'new-connections': 'the listener opens no new connection',
  requests: 'the listener says nothing more to the platform',
};

/** A host that cannot do it still reports and heartbeats; the function ends its drain then. */
async function silence(ports: WatchPorts, watch: Watch, stage: Silence): Promise<void> {
  try {
    await ports.host.silence(stage);
    watch.silencedSince = stage === 'off' ? undefined : ports.clock.now();
    ports.log.info(silenceNews[stage]);
  } catch (error) {
    ports.log.warn('the listener could not be silenced', { error: describeError(error) });
  }
}

/** A report that cannot be written holds up nothing; the next round tries again, and only a change is logged. */
async function report(ports: WatchPorts, watch: Watch, seen: Omit<HostReport, 'at' | 'phase'>): Promise<void> {
  const { runnerVersion } = ports;
  const { phase, launchedAt, atRisk, reclaimed, flaw } = watch;
  const own = {
    mode: ports.ephemeral ? 'jobs' : 'idle',
    ...(runnerVersion === undefined ? {} : { runnerVersion }),
    ...(launchedAt === undefined ? {} : { launchedAt }),
    ...(atRisk ? { atRisk } : {}),
    ...(reclaimed ? { reclaimed } : {}),
    ...(flaw.found === undefined
      ? {}
      : ({ unfit: 'broken', failure: `no job can begin here: ${flaw.found}` } as const)),
  } as const;
  const said = { at: ports.clock.now(), phase, ...own, ...seen };
  try {
    await inTime(ports.clock, reportWithinMs, ports.place.report(said));
    watch.lastReportAt = said.at;
    watch.lastReport = said;
    if (watch.reportsFail) ports.log.info('reports are written again');
    watch.reportsFail = false;
  } catch (error) {
    if (!watch.reportsFail) ports.log.warn('the report could not be written', { error: describeError(error) });
    watch.reportsFail = true;
  }
}

async function inTime(clock: Clock, mostMs: number, work: Promise<void>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = clock.after(mostMs, () => reject(new TransientError(`no response within ${mostMs / 1000} s`)));
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
