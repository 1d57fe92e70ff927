import { describeError, TerminalError, type WaitEnd, waitFor } from '@drover/core';
import { softwareTag } from '@drover/core/names/search-cluster';
import { type CheckVerdict, planUpgrade, type UpgradePlan } from '../../decide/upgrade/plan-upgrade.ts';
import type { UpgradeFacts, UpgradeNode, UpgradeObstacles } from '../../decide/upgrade/upgrade-checks.ts';
import {
  decideUpgrade,
  nthSnapshot,
  type SentUpgrade,
  type UpgradeAction,
  type UpgradeIntent,
  type UpgradeOutcome,
  type UpgradeSnapshot,
  type UpgradeStepFacts,
} from '../../decide/upgrade/upgrade-step.ts';
import type {
  ClusterHealthReader,
  GroupInstances,
  ShardLister,
  ShutdownRecords,
  VotingExclusions,
} from '../../ports.ts';
import type { Snapshots } from '../../snapshot-ports.ts';
import { type Polling, polling } from '../poll-pause.ts';

/** Nodes with their versions, and what Elasticsearch says against the next one. */
export interface UpgradeReader {
  nodes(): Promise<readonly Omit<UpgradeNode, 'instanceId' | 'agent' | 'checksFirst'>[]>;
  obstacles(): Promise<UpgradeObstacles>;
}

/** The intent of an upgrade, in the state bucket. */
export interface UpgradeIntents {
  read(to: string): Promise<UpgradeIntent | undefined>;
  /** False when another client has written it. */
  create(intent: UpgradeIntent): Promise<boolean>;
}

/** Runs the upgrade of one node on its instance. */
export interface NodeUpgrades {
  /** The agents of these instances as Systems Manager reports them; one that it does not know is not among them. */
  agents(instanceIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Returns the id of the command: of one that runs there already, or of a new one. `checksFirst`: everything is fetched and
   * checked before the node is stopped, which programs of older releases cannot.
   */
  send(instanceId: string, to: string, checksFirst: boolean): Promise<string>;
  /** Starts a node that was stopped with what is installed; the id of the command. */
  start(instanceId: string): Promise<string>;
  state(instanceId: string, commandId: string): Promise<Pick<SentUpgrade, 'state' | 'output'>>;
}

export interface UpgradeRun extends Polling {
  readonly search: {
    readonly health: ClusterHealthReader;
    readonly records: ShutdownRecords;
    readonly voting: VotingExclusions;
    readonly shards: ShardLister;
    readonly upgrade: UpgradeReader;
    readonly snapshots: Snapshots;
  };
  readonly instances: GroupInstances;
  readonly groups: readonly string[];
  readonly intents: UpgradeIntents;
  readonly commands: NodeUpgrades;
  readonly repository: string;
  onWait(because: string): void;
  onAction(what: string): void;
}

export interface UpgradeRequest {
  readonly to: string;
  readonly skip: readonly string[];
  readonly waitMs: number;
}

/** The command that this run waits for. */
interface Sent {
  readonly node: UpgradeNode;
  readonly commandId: string;
  readonly times: number;
  readonly failure?: string;
}

/** Forecasts an upgrade, without any act. */
export async function forecastUpgrade(run: UpgradeRun, request: UpgradeRequest): Promise<UpgradePlan> {
  return planUpgrade(await gatherNodes(run, request));
}

/**
 * Upgrades a cluster node by node, each in place. Everything it needs to know is in the cluster and in the state bucket: a run
 * that dies is followed by one that goes on.
 */
export async function upgradeCluster(run: UpgradeRun, request: UpgradeRequest): Promise<WaitEnd<UpgradeOutcome>> {
  let sent: Sent | undefined;
  let blockedSince: number | undefined;
  let last: UpgradeStepFacts | undefined;
  return await waitFor<UpgradeStepFacts, UpgradeAction, UpgradeOutcome>({
    ...polling(run, 4),
    deadlineAt: run.clock.now() + request.waitMs,
    gather: async () => {
      last = { ...(await gather(run, request, sent, last)), blockedSince };
      return last;
    },
    // The cluster may be without a master for a moment while one of them restarts.
    onGatherError: (error) => {
      if (error instanceof TerminalError) throw error;
      run.onWait(describeError(error));
    },
    decide: (facts, now) => {
      const step = decideUpgrade(facts, now);
      const { checks, next } = planUpgrade(facts);
      const waits =
        checks.some(({ verdict }: CheckVerdict) => verdict === 'blocks') ||
        (next === undefined && facts.absent.length > 0);
      blockedSince = waits && facts.sent?.state !== 'running' ? (blockedSince ?? now) : undefined;
      if (facts.sent?.state === 'succeeded' || facts.sent?.gone === true) sent = undefined;
      return step;
    },
    apply: async (action, facts) => {
      try {
        sent = (await act(run, request, action, facts)) ?? sent;
      } catch (error) {
        // A transient failure is tried again in the next round, with fresh facts.
        if (error instanceof TerminalError) throw error;
        run.onWait(describeError(error));
      }
    },
    onWait: (because) => run.onWait(because),
  });
}

async function act(
  run: UpgradeRun,
  { to }: UpgradeRequest,
  action: UpgradeAction,
  { sent: before }: UpgradeStepFacts,
): Promise<Sent | undefined> {
  if (action.kind === 'upgrade-node') {
    const { node } = action;
    const commandId = await run.commands.send(node.instanceId!, to, node.checksFirst);
    run.onAction(`node ${node.name} (${node.instanceId}): ${node.version} -> ${to}`);
    return { node, commandId, times: (before?.node.id === node.id ? before.times : 0) + 1 };
  }
  if (action.kind === 'start-node') {
    const { node, failure } = action;
    const commandId = await run.commands.start(node.instanceId!);
    run.onAction(`${failure}: it is started with what is installed`);
    return { node, commandId, times: before?.times ?? 1, failure };
  }
  if (action.kind === 'take-snapshot') {
    await run.search.snapshots.start(run.repository, action.name);
    run.onAction(`snapshot ${action.name} started: restoring it into a new cluster is the way back`);
    return undefined;
  }
  const startedAt = new Date(run.clock.now()).toISOString();
  await run.intents.create({ ...action.intent, startedAt });
  run.onAction(`upgrade ${action.intent.from} -> ${action.intent.to} begins`);
  return undefined;
}

async function gather(
  run: UpgradeRun,
  request: UpgradeRequest,
  sent: Sent | undefined,
  last: UpgradeStepFacts | undefined,
): Promise<Omit<UpgradeStepFacts, 'blockedSince'>> {
  const state = sent === undefined ? undefined : await stateOf(run, sent);
  // While a node is upgraded nothing else is decided: a large cluster is not asked for all its shards every few seconds.
  if (state?.state === 'running' && last !== undefined)
    return { ...last, health: await run.search.health.health(), sent: state };
  const intent = await run.intents.read(request.to);
  const known = await gatherNodes(run, request);
  return {
    ...known,
    intent,
    snapshot:
      intent === undefined || planUpgrade(known).started ? noSnapshot : await newestSnapshot(run, intent.snapshot),
    sent: state,
  };
}

/** Of a machine that was lost Systems Manager says for hours that its command runs. */
async function stateOf(run: UpgradeRun, { node, times, failure, commandId }: Sent): Promise<SentUpgrade> {
  const state = await run.commands.state(node.instanceId!, commandId);
  const instances = state.state === 'running' ? await run.instances.ofGroups(run.groups) : undefined;
  const gone = instances !== undefined && !instances.some(({ instanceId }) => instanceId === node.instanceId);
  return { node, times, failure, ...state, state: gone ? 'failed' : state.state, gone };
}

async function gatherNodes(run: UpgradeRun, { to, skip }: UpgradeRequest): Promise<UpgradeFacts> {
  const { search } = run;
  const instances = await run.instances.ofGroups(run.groups);
  const present = await search.upgrade.nodes();
  const agents = await run.commands.agents(instances.map(({ instanceId }) => instanceId));
  const nodes = present.map((node) => {
    const instance = instances.find(({ privateIp }) => privateIp === node.ip);
    const agent = instance === undefined ? undefined : agents.get(instance.instanceId);
    return { ...node, instanceId: instance?.instanceId, agent, checksFirst: instance?.tags[softwareTag] !== undefined };
  });
  const absent = instances
    .filter(({ instanceId }) => !nodes.some((node) => node.instanceId === instanceId))
    .map(({ instanceId, lifecycleState }) => ({ instanceId, lifecycleState }));
  return {
    to,
    skip,
    nodes,
    absent,
    records: await search.records.list(),
    health: await search.health.health(),
    copies: await search.shards.shards(),
    voting: await search.voting.read(),
    obstacles: await search.upgrade.obstacles(),
  };
}

/** Once a node is upgraded, none is taken and none is looked at. */
const noSnapshot: UpgradeSnapshot = { name: '', state: 'none', endedAt: 0 };

async function newestSnapshot(run: UpgradeRun, first: string): Promise<UpgradeSnapshot> {
  let newest: UpgradeSnapshot = { ...noSnapshot, name: first };
  for (let nth = 1; ; nth++) {
    const found = await snapshotOf(run, nthSnapshot(first, nth));
    if (found === undefined) return newest;
    newest = found;
  }
}

async function snapshotOf(run: UpgradeRun, name: string): Promise<UpgradeSnapshot | undefined> {
  try {
    const { state, endedAt } = await run.search.snapshots.get(run.repository, name);
    return { name, state: state === 'SUCCESS' || state === 'IN_PROGRESS' ? state : 'failed', endedAt };
  } catch (error) {
    if ((error as { status?: number }).status === 404) return undefined;
    throw error;
  }
}
