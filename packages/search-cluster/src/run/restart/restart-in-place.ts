import { describeError, TerminalError, type WaitEnd, waitFor } from '@drover/core';
import {
  decideFinishRestart,
  type FinishAction,
  type FinishFacts,
  type FinishOutcome,
} from '../../decide/restart/finish-restart.ts';
import {
  checkRestart,
  decidePrepareRestart,
  type RestartAction,
  type RestartCase,
  type RestartFacts,
  type RestartHistory,
  type RestartOutcome,
  trafficStep,
} from '../../decide/restart/prepare-restart.ts';
import { isTooOldToJoin } from '../../decide/restart/too-old.ts';
import { isInPlaceRestart, restartDelayMs } from '../../model/shutdown.ts';
import type { TrafficFacts, TrafficNote } from '../../model/traffic.ts';
import { isOlder } from '../../model/version.ts';
import type {
  ClusterHealthReader,
  ClusterMembers,
  LocalNode,
  NodeIdentity,
  OwnTraffic,
  RestartNotes,
  SearchProcess,
  ShardHistory,
  ShardLister,
  ShutdownRecords,
  TopologyReader,
  VotingExclusions,
} from '../../ports.ts';
import type { RunningSnapshots } from '../../snapshot-ports.ts';
import { type Polling, polling, pollPauseMs } from '../poll-pause.ts';

export interface RestartRun extends Polling {
  readonly search: {
    readonly health: ClusterHealthReader;
    readonly topology: TopologyReader;
    readonly records: ShutdownRecords;
    readonly voting: VotingExclusions;
    readonly shards: ShardLister;
    readonly history: ShardHistory;
    readonly local: LocalNode;
    readonly running: RunningSnapshots;
  };
  readonly process: SearchProcess;
  readonly notes: RestartNotes;
  readonly traffic: OwnTraffic;
  readonly cluster: ClusterMembers;
  onWait(because: string): void;
  onAction(what: string): void;
  onWarning(what: string): void;
}

export type PrepareRequest = Pick<RestartCase, 'reason' | 'allowUnavailable' | 'allowMissingReplicas'> & {
  readonly waitMs: number;
  /** Only takes the lease, with everything ready for a stop. @default false */
  readonly keepRunning?: boolean;
};

/** After a write the next look comes at once: of two that wrote at the same moment one must yield. */
const lookAgainMs = 1_000;

/**
 * Stops the node of this host for a moment, with its data in place: everything is checked, its restart is registered, leases
 * are current, the process is stopped. May die at any moment: the next run goes on.
 */
export async function prepareRestart(run: RestartRun, request: PrepareRequest): Promise<WaitEnd<RestartOutcome>> {
  const ready: WaitEnd<RestartOutcome> = { kind: 'done', outcome: { kind: 'ready', warning: undefined } };
  if (request.keepRunning !== true && (await stopTooOld(run))) return ready;
  const identity = await identityOf(run);
  if (identity === 'stopped') return ready;
  const context: RestartCase = {
    ...request,
    nodeId: identity.nodeId,
    deadlineAt: run.clock.now() + request.waitMs,
  };
  const end = await waitUntilReady(run, context, request.keepRunning === true);
  if (end.kind === 'timed-out') await endRestart(run, context.nodeId);
  if (end.kind === 'timed-out' || end.outcome.kind === 'refused') return end;
  if (request.keepRunning === true) return end;
  if (end.outcome.warning !== undefined) run.onWarning(end.outcome.warning);
  // A command that finds the node stopped must know which node it was, and that it may be stopped.
  await run.notes.write(identity);
  await run.process.stop();
  run.onAction(
    `Elasticsearch of node ${context.nodeId} stopped; its copies are waited for ${restartDelayMs / 60_000} minutes`,
  );
  return end;
}

/**
 * Something may have started the last old node again, after its stop and before its package: it stays outside until it is
 * stopped once more. A process that does not say its version may refuse every password because it is outside.
 */
async function stopTooOld({ notes, cluster, search, process, onAction }: RestartRun): Promise<boolean> {
  const stopped = await notes.read();
  if (stopped === undefined || !isTooOldToJoin(stopped, await cluster.members())) return false;
  const runs = await search.local.identity().catch(() => undefined);
  if (runs !== undefined && isOlder(stopped.version, runs.version)) return false;
  await process.stop();
  if (runs !== undefined)
    onAction(`Elasticsearch ${runs.version} stopped once more: every node of the cluster is newer, so it may not join`);
  return true;
}

/** A run before this one may have stopped the process already: its note says so. */
async function identityOf(run: RestartRun): Promise<NodeIdentity | 'stopped'> {
  try {
    return await run.search.local.identity();
  } catch (error) {
    if (error instanceof TerminalError || (await run.notes.read()) === undefined) throw error;
    await run.process.stop();
    return 'stopped';
  }
}

/** Before the record goes: a node without one is to get requests again. */
export async function endRestart({ traffic, search, onWarning }: RestartRun, nodeId: string): Promise<void> {
  await traffic.over().catch((error: unknown) => onWarning(describeError(error)));
  await search.records.withdraw(nodeId);
}

async function waitUntilReady(
  run: RestartRun,
  context: RestartCase,
  keepRunning: boolean,
): Promise<WaitEnd<RestartOutcome>> {
  let history: RestartHistory = { goodReadings: 0, flushedAt: undefined };
  let pauseMs: number | undefined;
  return await waitFor<RestartFacts, RestartAction, RestartOutcome>({
    ...polling(run),
    deadlineAt: context.deadlineAt,
    gather: () => gather(run, context, history, keepRunning),
    onGatherError: (error) => tolerate(run, error),
    decide: (facts, now) => {
      const step = decidePrepareRestart(facts, now);
      const good = checkRestart(facts, now) === undefined;
      history = { ...history, goodReadings: good ? history.goodReadings + 1 : 0 };
      pauseMs = (step.actions ?? []).length > 0 ? lookAgainMs : openRequestsMs(facts, now);
      return step;
    },
    apply: async (action) => {
      history = { ...history, ...(await act(run, context, action)) };
    },
    onWait: (because) => run.onWait(because),
    pauseMs: (round) => pauseMs ?? pollPauseMs(Math.min(round, 5), run.random),
  });
}

/** How long requests may be open, once everything else is ready: nothing has to be read meanwhile. */
function openRequestsMs(facts: RestartFacts, now: number): number | undefined {
  const step = facts.leases === undefined ? undefined : trafficStep(facts, now);
  return step?.kind === 'wait' ? step.untilMs : undefined;
}

async function gather(
  run: RestartRun,
  context: RestartCase,
  history: RestartHistory,
  keepRunning: boolean,
): Promise<RestartFacts> {
  const { search } = run;
  return {
    case: context,
    history,
    health: await search.health.health(),
    topology: await search.topology.topology(),
    records: await search.records.list(),
    voting: await search.voting.read(),
    copies: await search.shards.shards(),
    snapshots: await search.running.names(),
    leases: history.flushedAt === undefined ? undefined : await search.history.leaseLags(context.nodeId),
    traffic: keepRunning ? undefined : await readTraffic(run),
  };
}

/** A refusal of AWS that will not pass does not hold up a restart. */
async function readTraffic({ traffic, onWarning }: RestartRun): Promise<TrafficFacts | undefined> {
  try {
    return await traffic.read();
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    onWarning(describeError(error));
    return undefined;
  }
}

/** Returns what the next rounds have to know. What may pass is tried again in the next round. */
async function act(run: RestartRun, { nodeId }: RestartCase, action: RestartAction): Promise<Partial<RestartHistory>> {
  try {
    switch (action.kind) {
      case 'register-restart':
        await run.search.records.registerRestart(nodeId, action.reason, restartDelayMs);
        run.onAction(`restart of node ${nodeId} registered (${action.reason})`);
        return {};
      case 'withdraw-restart':
        await endRestart(run, nodeId);
        run.onAction(`restart of node ${nodeId} withdrawn: ${action.because}`);
        return {};
      case 'flush':
        await run.search.history.flush();
        return { flushedAt: run.clock.now() };
      case 'ask-no-requests':
        return await askNoRequests(run, action.note);
    }
  } catch (error) {
    tolerate(run, error);
    return {};
  }
}

/** A role without the permission, of a stack that is older than this program, is no reason not to restart. */
async function askNoRequests({ traffic }: RestartRun, note: TrafficNote): Promise<Partial<RestartHistory>> {
  try {
    await traffic.ask(note);
    return {};
  } catch (error) {
    if (error instanceof TerminalError) return { trafficRefused: describeError(error) };
    throw error;
  }
}

function tolerate(run: Pick<RestartRun, 'onWarning'>, error: unknown): void {
  if (error instanceof TerminalError) throw error;
  run.onWarning(describeError(error));
}

export interface FinishRequest {
  readonly waitMs: number;
  readonly allowMissingReplicas: boolean;
}

/** Starts the node of this host if it does not run, waits until it is back as the one that was stopped, and deletes its record. */
export async function finishRestart(run: RestartRun, request: FinishRequest): Promise<WaitEnd<FinishOutcome>> {
  const before = await run.notes.read();
  // Its package may be there all the same: then it starts as what is installed.
  await stopTooOld(run);
  await run.process.start();
  let goodReadings = 0;
  const end = await waitFor<FinishFacts, FinishAction, FinishOutcome>({
    ...polling(run, 5),
    deadlineAt: run.clock.now() + request.waitMs,
    gather: () => gatherFinish(run, request, before, goodReadings),
    // While the process starts nothing responds, and security refuses every password.
    onGatherError: (error) => run.onWait(describeError(error)),
    decide: (facts) => {
      const step = decideFinishRestart(facts);
      goodReadings = step.kind === 'wait' && step.because.startsWith('settled') ? goodReadings + 1 : 0;
      return step;
    },
    apply: async ({ nodeId }) => {
      await endRestart(run, nodeId).then(
        () => run.onAction(`node ${nodeId} is back: its restart record is deleted`),
        (error: unknown) => run.onWarning(describeError(error)),
      );
    },
    onWait: (because) => run.onWait(because),
  });
  if (end.kind === 'timed-out' || end.outcome.kind !== 'finished') return end;
  await run.traffic.over().catch((error: unknown) => run.onWarning(describeError(error)));
  await run.notes.write(undefined);
  return end;
}

/** A node that runs, has asked to get no requests and has no record: its restart was ended by hand, or by a command that died. */
export async function endLeftTraffic({ search, traffic }: Pick<RestartRun, 'search' | 'traffic'>): Promise<boolean> {
  const { nodeId } = await search.local.identity();
  const records = await search.records.list();
  if (records.some((record) => record.nodeId === nodeId && isInPlaceRestart(record))) return false;
  await traffic.over();
  return true;
}

async function gatherFinish(
  { search }: RestartRun,
  { allowMissingReplicas }: FinishRequest,
  before: FinishFacts['before'],
  goodReadings: number,
): Promise<FinishFacts> {
  const now = await search.local.identity();
  const { nodes } = await search.topology.topology();
  return {
    before,
    now,
    joined: nodes.some((node) => node.id === now.nodeId),
    records: await search.records.list(),
    health: await search.health.health(),
    allowMissingReplicas,
    goodReadings,
  };
}
