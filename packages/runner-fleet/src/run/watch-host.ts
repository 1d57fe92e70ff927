import { type Clock, describeError } from '@drover/core';
import { hooks } from '@drover/core/names/runner-fleet';
import { decideHost, type HostAction, type HostDecision, type HostFacts } from '../decide/decide-host.ts';
import { decideStart } from '../decide/decide-start.ts';
import type { OwnMetadata } from '../host-ports.ts';
import type { HostPhase } from '../model/fleet.ts';
import { type RegisterPorts, registerRunner } from './register-runner.ts';

export interface WatchPorts extends RegisterPorts {
  readonly clock: Clock;
  readonly metadata: OwnMetadata;
  readonly signal?: AbortSignal;
}

/** What the agent remembers while it lives. All of it can be lost: the next round reads it again. */
interface Watch {
  phase: HostPhase;
  /** The wait state in which hook `bootstrap` was completed: entering the warm pool and leaving it are two waits. */
  bootstrapCompletedIn: string | undefined;
  lastWorkerAt: number;
  drainingSince: number | undefined;
  protectedFromScaleIn: boolean;
  silencedSince: number | undefined;
  lastHeartbeatAt: number | undefined;
  lastReportAt: number | undefined;
  lastReport: { workers: number; phase: HostPhase } | undefined;
}

/** Time between two rounds, unless something happens: before the runner service runs, and after. */
export const gatePauseMs = 10_000;
export const watchPauseMs = 15_000;

/**
 * The agent's life: register, wait at the start gate, serve, drain. Ends when the runner is stopped for good. It has no
 * deadline, and a change on the host ends its pauses, so that it is no `waitFor`.
 */
export async function watchHost(ports: WatchPorts): Promise<void> {
  const watch: Watch = {
    phase: 'registering',
    bootstrapCompletedIn: undefined,
    lastWorkerAt: ports.clock.now(),
    drainingSince: undefined,
    protectedFromScaleIn: false,
    silencedSince: undefined,
    lastHeartbeatAt: undefined,
    lastReportAt: undefined,
    lastReport: undefined,
  };
  while (watch.phase !== 'stopped' && ports.signal?.aborted !== true) {
    await ports.host.waitForChange(await oneRound(ports, watch));
  }
}

/** One round; a failing call is logged and the next round tries again, for nothing here may end the agent. */
async function oneRound(ports: WatchPorts, watch: Watch): Promise<number> {
  try {
    const facts = await gather(ports, watch);
    const decision = decideHost(facts, ports.clock.now());
    if (decision.phase === 'starting') return await passGate(ports, watch);
    await carryOut(ports, watch, facts, decision);
  } catch (error) {
    ports.log.warn('this look failed; looking again', { error: describeError(error) });
  }
  return watchPauseMs;
}

async function gather(ports: WatchPorts, watch: Watch): Promise<HostFacts> {
  const { host, metadata, clock } = ports;
  const [targetState, spotNoticeAt] = await Promise.all([metadata.targetLifecycleState(), metadata.spotNoticeAt()]);
  const workers = host.workers();
  if (workers > 0) watch.lastWorkerAt = clock.now();
  const { phase: _, bootstrapCompletedIn: __, ...remembered } = watch;
  return {
    targetState,
    spotNoticeAt,
    workers,
    drain: host.drainOrder(),
    serviceActive: host.serviceActive(),
    silenced: host.silenced(),
    ...remembered,
  };
}

/** The start gate: registers, completes hook `bootstrap`, starts the service; returns the pause until the next round. */
async function passGate(ports: WatchPorts, watch: Watch): Promise<number> {
  const [lifecycleState, tokenWaits] = await Promise.all([ports.place.lifecycleState(), ports.token.exists()]);
  const configured = ports.host.isConfigured();
  const bootstrapCompleted = lifecycleState !== undefined && watch.bootstrapCompletedIn === lifecycleState;
  const decision = decideStart({ lifecycleState, tokenWaits, configured, bootstrapCompleted });
  if (decision.kind === 'register') return (await registerRunner(ports)) === 'registered' ? 0 : gatePauseMs;
  if (decision.kind === 'complete-bootstrap') {
    await ports.place.completeHook(hooks.bootstrap.name, 'CONTINUE');
    watch.bootstrapCompletedIn = lifecycleState;
  }
  if (decision.kind === 'start-service') {
    await report(ports, watch, 'serving', 0);
    await ports.host.startService();
    watch.phase = 'serving';
    ports.log.info('the runner service is started');
  }
  // A runner that ends at once, because the platform has forgotten it, must not be started again without a pause.
  return decision.kind === 'complete-bootstrap' ? 0 : gatePauseMs;
}

async function carryOut(ports: WatchPorts, watch: Watch, facts: HostFacts, decision: HostDecision): Promise<void> {
  if (decision.phase === 'draining' && watch.drainingSince === undefined) {
    watch.drainingSince = ports.clock.now();
    ports.log.info('draining', { because: decision.because });
  }
  if (decision.phase === 'serving' || decision.phase === 'draining') watch.phase = decision.phase;
  for (const action of decision.actions) await apply(ports, watch, facts, action);
  if (decision.phase === 'stopped') {
    ports.log.info('stopped', { because: decision.because });
    await report(ports, watch, 'stopped', 0);
    watch.phase = 'stopped';
  }
}

async function apply(ports: WatchPorts, watch: Watch, facts: HostFacts, action: HostAction): Promise<void> {
  switch (action.kind) {
    case 'protect':
      if ((await ports.place.protect(action.on)) === 'done') watch.protectedFromScaleIn = action.on;
      return;
    case 'heartbeat':
      await ports.place.heartbeat(hooks.deregistration.name);
      watch.lastHeartbeatAt = ports.clock.now();
      return;
    case 'report':
      return await report(ports, watch, watch.phase, facts.workers);
    case 'silence':
      return await silence(ports, watch, action.on);
    case 'stop-runner':
      return await ports.host.stopService();
    case 'complete-termination':
      return await ports.place.completeHook(hooks.deregistration.name, 'CONTINUE');
  }
}

/** A host that cannot do it still reports and heartbeats; the function ends its drain then. */
async function silence(ports: WatchPorts, watch: Watch, on: boolean): Promise<void> {
  try {
    await ports.host.silence(on);
    watch.silencedSince = on ? ports.clock.now() : undefined;
    ports.log.info(
      on ? 'the listener is kept from the platform' : 'a job had reached the listener: it may speak again',
    );
  } catch (error) {
    ports.log.warn('the listener could not be silenced', { error: describeError(error) });
  }
}

async function report(ports: WatchPorts, watch: Watch, phase: HostPhase, workers: number): Promise<void> {
  const at = ports.clock.now();
  await ports.place.report({ at, phase, workers });
  watch.lastReportAt = at;
  watch.lastReport = { workers, phase };
}
