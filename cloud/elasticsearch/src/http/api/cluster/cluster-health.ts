import { type Document, Double, type Value } from '@drover/formats';
import {
  type ClusterHealth,
  type Colour,
  clusterHealth,
  type IndexHealth,
  type ShardCounts,
} from '../../../engine/coordination/health.ts';
import { ElasticsearchError, illegalArgument } from '../../../engine/errors.ts';
import { resolveIndices } from '../../../engine/indices/index-expressions.ts';
import type { ClusterState } from '../../../engine/state/cluster-state.ts';
import type { IndexMetadata } from '../../../engine/state/index-metadata.ts';
import type { Call } from '../../call.ts';
import { expressionOptions, expressionParams } from '../../index-expressions.ts';
import { percentText } from '../../responses/human.ts';
import { RestError, statusOf } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

export const clusterHealthRoutes: readonly Endpoint[] = [
  {
    api: 'cluster.health',
    action: 'cluster:monitor/health',
    params: ['return_200_for_cluster_health_timeout', ...expressionParams],
    run: health,
  },
];

async function health(call: Call): Promise<Reply> {
  if (call.text('return_200_for_cluster_health_timeout') !== undefined && call.major >= 8)
    throw illegalArgument(
      `request [${call.path}] contains unrecognized parameter: [return_200_for_cluster_health_timeout]`,
    );
  const goal = readGoal(call);
  const level = call.text('level') ?? 'cluster';
  if (!['cluster', 'indices', 'shards'].includes(level))
    throw illegalArgument(`level parameter must be one of [cluster] or [indices] or [shards] but was [${level}]`);
  const timeoutMs = call.timeMs('timeout', 30_000);
  const { now, wait } = await source(call, goal);
  // Only the master's view is waited on.
  const own = wait === undefined ? now() : undefined;
  const timedOut = own === undefined ? !(await wait!(timeoutMs)) : !isMet(goal, own);
  const { health: result, missing } = own ?? now();
  const ok = call.major < 8 && call.flag('return_200_for_cluster_health_timeout');
  return {
    status: timedOut && !ok ? 408 : 200,
    body: healthBody(call, missing ? { ...result, status: 'red' } : result, timedOut, level),
  };
}

interface Seen {
  readonly health: ClusterHealth;
  readonly missing: boolean;
}

interface Measure {
  now(): Seen;
  /** Whether the goal was met in time. */
  readonly wait?: (timeoutMs: number) => Promise<boolean>;
}

const isMet = (goal: Goal, { health, missing }: Seen) => !missing && goal.every((test) => test(health));

/** Where health is read: from the node itself with `local`, from the master otherwise, which also can be waited on. */
async function source(call: Call, goal: Goal): Promise<Measure> {
  const services = call.flag('local') ? undefined : await call.master();
  const state = () => services?.core.state ?? call.seenState();
  const now = () => {
    const current = state();
    const { indices, missing } = chosen(call, current);
    return { health: clusterHealth(current, indices), missing };
  };
  // Monitoring asks without a goal, over and over: nothing is counted twice for it.
  const met = () => (goal.length === 0 ? !chosen(call, state()).missing : isMet(goal, now()));
  return {
    now,
    ...(services === undefined ? {} : { wait: (timeoutMs) => services.core.waitUntil(met, timeoutMs) }),
  };
}

/** A missing index is waited for, not refused. */
function chosen(call: Call, state: ClusterState): { indices: IndexMetadata[]; missing: boolean } {
  const options = expressionOptions(call, { closed: true, hidden: true });
  try {
    return { indices: resolveIndices(state, call.list('index'), options, call.now), missing: false };
  } catch (error) {
    if (!(error instanceof ElasticsearchError) || statusOf(error) !== 404) throw error;
    return { indices: [], missing: true };
  }
}

type Goal = readonly ((health: ClusterHealth) => boolean)[];

function readGoal(call: Call): Goal {
  const goal: ((health: ClusterHealth) => boolean)[] = [];
  const events = call.text('wait_for_events');
  if (events !== undefined && !priorities.includes(events.toUpperCase()))
    throw illegalArgument(`No enum constant org.elasticsearch.common.Priority.${events.toUpperCase()}`);
  const status = call.text('wait_for_status');
  if (status !== undefined) goal.push(atLeastAsGood(status));
  if (call.flag('wait_for_no_relocating_shards')) goal.push((health) => health.relocating_shards === 0);
  if (call.flag('wait_for_no_initializing_shards')) goal.push((health) => health.initializing_shards === 0);
  const active = call.text('wait_for_active_shards');
  if (active !== undefined) goal.push(enoughActive(active));
  const nodes = call.text('wait_for_nodes');
  if (nodes !== undefined) goal.push(enoughNodes(nodes));
  return goal;
}

/** Of tasks in the master's queue, which is always empty here: what is waited for has always happened. */
const priorities: readonly string[] = ['IMMEDIATE', 'URGENT', 'HIGH', 'NORMAL', 'LOW', 'LANGUID'];

const order: readonly Colour[] = ['green', 'yellow', 'red'];

function atLeastAsGood(wanted: string): (health: ClusterHealth) => boolean {
  const rank = order.indexOf(wanted.toLowerCase() as Colour);
  if (rank < 0)
    throw illegalArgument(
      `No enum constant org.elasticsearch.cluster.health.ClusterHealthStatus.${wanted.toUpperCase()}`,
    );
  return (health) => order.indexOf(health.status) <= rank;
}

function enoughActive(wanted: string): (health: ClusterHealth) => boolean {
  if (wanted === 'all') return (health) => health.unassigned_shards + health.initializing_shards === 0;
  const count = Number(wanted);
  if (!Number.isInteger(count))
    throw illegalArgument(`cannot parse ActiveShardCount[${wanted}]`, {
      type: 'number_format_exception',
      reason: `For input string: "${wanted}"`,
    });
  return (health) => health.active_shards >= count;
}

/** `5`, `>=5`, `ge(5)` and the like. */
function enoughNodes(wanted: string): (health: ClusterHealth) => boolean {
  const match = /^(?:(>=|<=|>|<)(.*)|(ge|le|gt|lt)\((.*)\))$/.exec(wanted);
  const operator = match?.[1] ?? match?.[3];
  const number = match?.[2] ?? match?.[4] ?? wanted;
  if (!/^\d+$/.test(number))
    throw new RestError(400, { type: 'number_format_exception', reason: `For input string: "${number}"` });
  const count = Number(number);
  switch (operator) {
    case '>=':
    case 'ge':
      return ({ nodes }) => nodes >= count;
    case '<=':
    case 'le':
      return ({ nodes }) => nodes <= count;
    case '>':
    case 'gt':
      return ({ nodes }) => nodes > count;
    case '<':
    case 'lt':
      return ({ nodes }) => nodes < count;
    default:
      return ({ nodes }) => nodes === count;
  }
}

function healthBody(call: Call, health: ClusterHealth, timedOut: boolean, level: string): Document {
  return {
    cluster_name: call.cluster.clusterName,
    status: health.status,
    timed_out: timedOut,
    number_of_nodes: health.nodes,
    number_of_data_nodes: health.dataNodes,
    ...counts(call, health),
    delayed_unassigned_shards: health.delayed,
    number_of_pending_tasks: 0,
    number_of_in_flight_fetch: 0,
    ...(call.human ? { task_max_waiting_in_queue: '0s' } : {}),
    task_max_waiting_in_queue_millis: 0,
    ...(call.human ? { active_shards_percent: percentText(health.activePercent) } : {}),
    active_shards_percent_as_number: new Double(health.activePercent),
    ...(level === 'cluster' ? {} : { indices: mapValues(health.indices, (index) => indexBody(call, index, level)) }),
  };
}

function indexBody(call: Call, index: IndexHealth, level: string): Document {
  const shards = index.shards.map(
    (shard, at) =>
      [
        String(at),
        { status: shard.status, primary_active: shard.primaryActive, ...withoutPrimaries(counts(call, shard)) },
      ] as const,
  );
  return {
    status: index.status,
    number_of_shards: index.numberOfShards,
    number_of_replicas: index.numberOfReplicas,
    ...counts(call, index),
    ...(level === 'shards' ? { shards: Object.fromEntries(shards) } : {}),
  };
}

/** `unassigned_primary_shards` came with 8.16. */
function counts(call: Call, part: ShardCounts): Document {
  return {
    active_primary_shards: part.active_primary_shards,
    active_shards: part.active_shards,
    relocating_shards: part.relocating_shards,
    initializing_shards: part.initializing_shards,
    unassigned_shards: part.unassigned_shards,
    ...(call.atLeast('8.16.0') ? { unassigned_primary_shards: part.unassigned_primary_shards } : {}),
  };
}

function withoutPrimaries({ active_primary_shards: _, ...rest }: Document): Document {
  return rest;
}

function mapValues<V>(map: ReadonlyMap<string, V>, change: (value: V) => Value): Document {
  return Object.fromEntries([...map].map(([key, value]) => [key, change(value)]));
}
