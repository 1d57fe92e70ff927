import type { Document } from '@drover/formats';
import type { AllocationContext } from '../../../engine/allocation/decision.ts';
import { explainAssigned } from '../../../engine/allocation/explain.ts';
import type { MasterServices } from '../../../engine/coordination/master-services.ts';
import {
  type ElasticsearchError,
  illegalArgument,
  parseError,
  resourceNotFound,
  validationFailed,
} from '../../../engine/errors.ts';
import { combineStatus, type ShardMigration, shardMigration } from '../../../engine/shutdown/status.ts';
import { type ShutdownRecord, withEntry, withoutEntry } from '../../../engine/state/cluster-state.ts';
import { parseTimeMs } from '../../../engine/values/units.ts';
import type { Call } from '../../call.ts';
import { moment } from '../../responses/human.ts';
import { RestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { moveBody, unassignedDecision } from '../cluster/allocation-explain.ts';

export const shutdownRoutes: readonly Endpoint[] = [
  {
    api: 'shutdown.put_node',
    action: 'cluster:admin/shutdown/create',
    run: put,
  },
  {
    api: 'shutdown.get_node',
    action: 'cluster:admin/shutdown/get',
    run: get,
  },
  {
    api: 'shutdown.delete_node',
    action: 'cluster:admin/shutdown/delete',
    run: remove,
  },
];

const types = ['RESTART', 'REMOVE', 'REPLACE', 'SIGTERM'] as const;
const fields = ['type', 'reason', 'allocation_delay', 'target_node_name', 'grace_period'];

async function put(call: Call): Promise<Reply> {
  if (call.body === undefined) throw parseError('request body is required');
  const record = readRecord(call);
  const { core, allocation } = await call.master();
  core.update((state) => {
    const before = state.shutdowns.get(record.nodeId);
    const seen = state.nodes.has(record.nodeId);
    if (before !== undefined && sameRecord(before, record)) return state;
    const next = { ...record, nodeSeen: seen || (before?.nodeSeen ?? false) };
    return allocation.reroute({ ...state, shutdowns: withEntry(state.shutdowns, record.nodeId, next) });
  });
  return { body: { acknowledged: true } };
}

/** A restart without a delay is a new one each time: its record has the default delay, which the request has not. */
const sameRecord = (a: ShutdownRecord, b: ShutdownRecord) =>
  (b.type !== 'RESTART' || b.allocationDelay !== undefined) &&
  a.type === b.type &&
  a.reason === b.reason &&
  a.allocationDelay === b.allocationDelay &&
  a.targetNodeName === b.targetNodeName &&
  a.gracePeriod === b.gracePeriod;

/** The node id is taken as it is: the server does not check that there is such a node. */
function readRecord(call: Call): ShutdownRecord {
  const body = call.object();
  const unknown = Object.keys(body).find((key) => !fields.includes(key));
  if (unknown !== undefined)
    throw new RestError(400, {
      type: 'x_content_parse_exception',
      reason: `[1:2] [put_node_shutdown_request] unknown field [${unknown}]`,
    });
  for (const name of ['type', 'reason'])
    if (body[name] === undefined)
      throw illegalArgument(`Required [${['type', 'reason'].filter((key) => body[key] === undefined).join(', ')}]`);
  const type = types.find((known) => known === String(body.type).toUpperCase());
  if (type === undefined) throw unparsable(body);
  refuseMismatch(type, body);
  const allocationDelay = body.allocation_delay;
  if (allocationDelay !== undefined && parseTimeMs(String(allocationDelay)) === undefined)
    throw illegalArgument(
      `failed to parse setting [allocation_delay] with value [${allocationDelay}] as a time value: unit is missing or unrecognized`,
    );
  return {
    nodeId: call.text('node_id')!,
    type,
    reason: String(body.reason),
    startedAtMs: call.now,
    ...(allocationDelay === undefined ? {} : { allocationDelay: String(allocationDelay) }),
    ...(body.target_node_name === undefined ? {} : { targetNodeName: String(body.target_node_name) }),
    ...(body.grace_period === undefined ? {} : { gracePeriod: String(body.grace_period) }),
    nodeSeen: false,
  };
}

function unparsable(body: Document): ElasticsearchError {
  const cause = { type: 'illegal_argument_exception', reason: `unknown type [${body.type}]` };
  return new RestError(400, {
    type: 'x_content_parse_exception',
    reason: '[1:9] [put_node_shutdown_request] failed to parse field [type]',
    causedBy: cause,
    rootCause: [cause],
  });
}

/** `allocation_delay` belongs to restarts, `target_node_name` to replacements, `grace_period` to SIGTERM, and to nothing else. */
function refuseMismatch(type: ShutdownRecord['type'], body: Document): void {
  const problems: string[] = [];
  if (body.allocation_delay !== undefined && type !== 'RESTART')
    problems.push('allocation delay is only valid for RESTART-type shutdowns');
  if (type === 'REPLACE' && (body.target_node_name === undefined || String(body.target_node_name).trim() === ''))
    problems.push('target node name is required for REPLACE type shutdowns');
  else if (type !== 'REPLACE' && body.target_node_name !== undefined)
    problems.push(`target node name is only valid for REPLACE type shutdowns, but was given for [${type}]`);
  if (body.grace_period !== undefined && type !== 'SIGTERM')
    problems.push(`grace period is only valid for SIGTERM type shutdowns, but was given type [${type}]`);
  if (body.grace_period === undefined && type === 'SIGTERM')
    problems.push('grace period is required for SIGTERM shutdowns');
  if (problems.length > 0) throw validationFailed(problems);
}

async function remove(call: Call): Promise<Reply> {
  const nodeId = call.text('node_id')!;
  const { core, allocation } = await call.master();
  if (!core.state.shutdowns.has(nodeId)) throw resourceNotFound(`node [${nodeId}] is not currently shutting down`);
  core.update((state) => allocation.reroute({ ...state, shutdowns: withoutEntry(state.shutdowns, nodeId) }));
  return { body: { acknowledged: true } };
}

async function get(call: Call): Promise<Reply> {
  const services = await call.master();
  const { shutdowns } = services.core.state;
  const ids = call.list('node_id');
  const records = ids.length === 0 ? [...shutdowns.values()] : ids.flatMap((id) => shutdowns.get(id) ?? []);
  const context = services.allocation.context(services.core.state);
  return { body: { nodes: records.map((record) => recordBody(call, services, context, record)) } };
}

function recordBody(
  call: Call,
  services: MasterServices,
  context: AllocationContext,
  record: ShutdownRecord,
): Document {
  const migration = shardMigration(record, context);
  const delay = record.type === 'RESTART' ? { allocation_delay: record.allocationDelay ?? '5m' } : {};
  return {
    node_id: record.nodeId,
    type: record.type,
    reason: record.reason,
    ...delay,
    ...moment(call.human, 'shutdown_started', 'shutdown_startedmillis', record.startedAtMs),
    status: combineStatus(migration.status, 'COMPLETE', 'COMPLETE'),
    shard_migration: migrationBody(call, services, context, migration),
    persistent_tasks: { status: 'COMPLETE' },
    plugins: { status: 'COMPLETE' },
    ...(record.targetNodeName === undefined ? {} : { target_node_name: record.targetNodeName }),
    ...(record.gracePeriod === undefined ? {} : { grace_period: record.gracePeriod }),
  };
}

function migrationBody(
  call: Call,
  services: MasterServices,
  context: AllocationContext,
  migration: ShardMigration,
): Document {
  const { counts, unmovable } = migration;
  return {
    status: migration.status,
    ...(counts === undefined || !call.atLeast('8.5.0')
      ? {}
      : {
          started_shards: counts.started,
          relocating_shards: counts.relocating,
          initializing_shards: counts.initializing,
        }),
    shard_migrations_remaining: migration.remaining,
    ...(migration.explanation === undefined ? {} : { explanation: migration.explanation }),
    ...(unmovable === undefined || !call.atLeast('8.6.0')
      ? {}
      : { node_allocation_decision: decisionBody(call, services, context, unmovable) }),
  };
}

function decisionBody(
  call: Call,
  services: MasterServices,
  context: AllocationContext,
  shard: Parameters<typeof explainAssigned>[0],
): Document {
  return shard.state === 'UNASSIGNED'
    ? unassignedDecision(call, services, context, shard)
    : moveBody(call, explainAssigned(shard, context));
}
