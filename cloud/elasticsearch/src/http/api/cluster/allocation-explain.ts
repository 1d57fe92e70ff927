import { type Document, Double } from '@drover/formats';
import { indexOfShard } from '../../../engine/allocation/commands.ts';
import { type AllocationContext, type Decision, referencePage } from '../../../engine/allocation/decision.ts';
import {
  type AllocateExplanation,
  anyUnassigned,
  explainAssigned,
  explainUnassigned,
  findCopy,
  type MoveExplanation,
  type NodeExplanation,
} from '../../../engine/allocation/explain.ts';
import type { MasterServices } from '../../../engine/coordination/master-services.ts';
import { illegalArgument, validationFailed } from '../../../engine/errors.ts';
import { findNode } from '../../../engine/state/cluster-state.ts';
import { delayedTimeoutMs } from '../../../engine/state/index-metadata.ts';
import { type DiscoveryNode, transportAddress } from '../../../engine/state/node-info.ts';
import { isRelocationTarget, type ShardRouting, shardLabel, type UnassignedInfo } from '../../../engine/state/shard.ts';
import { isoTime } from '../../../engine/values/units.ts';
import type { Call } from '../../call.ts';
import { RestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

export const allocationExplainRoutes: readonly Endpoint[] = [
  {
    api: 'cluster.allocation_explain',
    action: 'cluster:monitor/allocation/explain',
    newer: ['index'],
    run: explain,
  },
];

/** Since 9.1 the target may also stand in the query. */
const fields = ['index', 'shard', 'primary', 'current_node'];

async function explain(call: Call): Promise<Reply> {
  const body = call.object();
  const unknown = Object.keys(body).find((key) => !fields.includes(key));
  if (unknown !== undefined)
    throw new RestError(400, {
      type: 'x_content_parse_exception',
      reason: `[1:2] [cluster/allocation/explain] unknown field [${unknown}]`,
    });
  const services = await call.master();
  const { core, allocation } = services;
  const context = allocation.context(core.state);
  const named = Object.keys(body).length > 0;
  const shard = named ? namedCopy(call, context, body) : anyUnassigned(context);
  if (shard === undefined)
    throw illegalArgument(
      `No shard was specified in the request which means the response should explain a randomly-chosen unassigned shard, but there are no unassigned shards in this cluster. To explain the allocation of an assigned shard you must specify the target shard in the request. See ${referencePage(call.version, 'cluster-allocation-explain.html')} for more information.`,
    );
  const note = named ? {} : { note: randomNote(call) };
  return { body: { ...(call.atLeast('7.15.0') ? note : {}), ...explanationBody(call, services, context, shard) } };
}

const randomNote = (call: Call) =>
  `No shard was specified in the explain API request, so this response explains a randomly chosen unassigned shard. There may be other unassigned shards in this cluster which cannot be assigned for different reasons. It may not be possible to assign this shard until one of the other shards is assigned correctly. To explain the allocation of other shards (whether assigned or unassigned) you must specify the target shard in the request to this API. See ${referencePage(call.version, 'cluster-allocation-explain.html')} for more information.`;

function namedCopy(call: Call, context: AllocationContext, body: Document): ShardRouting {
  const problems = [
    ...(body.index === undefined ? ['index must be specified'] : []),
    ...(body.shard === undefined ? ['shard must be specified'] : []),
    ...(body.primary === undefined ? ['primary must be specified'] : []),
  ];
  if (problems.length > 0) throw validationFailed(problems);
  const number = Number(body.shard);
  const index = indexOfShard(context, { index: String(body.index), shard: number });
  const primary = body.primary === true || body.primary === 'true';
  if (body.current_node !== undefined) return onNode(context, index.name, number, primary, String(body.current_node));
  const copy = findCopy(context, index.name, number, primary);
  if (copy === undefined)
    throw illegalArgument(
      `unable to find any shards to explain [ClusterAllocationExplainRequest[index=${index.name},shard=${number},primary?=${primary},includeYesDecisions?=${call.flag('include_yes_decisions')}] in the routing table`,
    );
  return copy;
}

function onNode(
  context: AllocationContext,
  index: string,
  number: number,
  primary: boolean,
  name: string,
): ShardRouting {
  const node = findNode(context.state, name);
  if (node === undefined) throw illegalArgument(`failed to resolve [${name}], no matching nodes`);
  const copy = findCopy(context, index, number, primary, node.id);
  if (copy === undefined)
    throw illegalArgument(`unable to find ${primary ? 'primary' : 'replica'} shard assigned to node [${name}]`);
  return copy;
}

/** The explanation of one copy, also part of a shutdown's status. */
export function explanationBody(
  call: Call,
  services: MasterServices,
  context: AllocationContext,
  shard: ShardRouting,
): Document {
  const head = {
    index: shard.index,
    shard: shard.shard,
    primary: shard.primary,
    current_state: shard.state.toLowerCase(),
  };
  const info =
    shard.unassignedInfo !== undefined && shard.state === 'UNASSIGNED'
      ? { unassigned_info: unassignedBody(shard.unassignedInfo) }
      : {};
  const disk = call.flag('include_disk_info') ? { cluster_info: clusterInfo(services) } : {};
  if (shard.state === 'UNASSIGNED')
    return { ...head, ...info, ...disk, ...unassignedDecision(call, services, context, shard) };
  const node = context.state.nodes.get(shard.node!)!;
  if (shard.state === 'STARTED') {
    const move = explainAssigned(shard, context);
    return { ...head, current_node: nodeBody(node, move.rank), ...disk, ...moveBody(call, move) };
  }
  return { ...head, current_node: nodeBody(node), ...disk, explanation: movingText(context, shard) };
}

function movingText(context: AllocationContext, shard: ShardRouting): string {
  const name = (id: string | undefined) => (id === undefined ? '' : (context.state.nodes.get(id)?.name ?? id));
  if (shard.state === 'RELOCATING')
    return `the shard is in the process of relocating from node [${name(shard.node)}] to node [${name(shard.relocatingNode)}], wait until relocation has completed`;
  if (isRelocationTarget(shard))
    return `the shard is in the process of relocating from node [${name(shard.relocatingNode)}] to node [${name(shard.node)}], wait until relocation has completed`;
  return `the shard is in the process of initializing on node [${name(shard.node)}], wait until initialization has completed`;
}

export function unassignedDecision(
  call: Call,
  services: MasterServices,
  context: AllocationContext,
  shard: ShardRouting,
): Document {
  const delay = {
    configuredMs: delayedTimeoutMs(context.routing.index(shard.index)),
    remainingMs: services.allocation.remainingDelayMs(context.state, shard),
  };
  return allocateBody(call, explainUnassigned(shard, context, services.findCopies, delay));
}

function unassignedBody(info: UnassignedInfo): Document {
  return {
    reason: info.reason,
    at: isoTime(info.atMs),
    ...(info.failedAllocations > 0 ? { failed_allocation_attempts: info.failedAllocations } : {}),
    ...(info.details === undefined ? {} : { details: info.details }),
    last_allocation_status: lastStatus[info.allocationStatus],
  };
}

const lastStatus = {
  no_attempt: 'no_attempt',
  deciders_no: 'no',
  deciders_throttled: 'throttled',
  delayed_allocation: 'allocation_delayed',
  no_valid_shard_copy: 'no_valid_shard_copy',
  fetching_shard_data: 'awaiting_info',
} as const;

function allocateBody(call: Call, explanation: AllocateExplanation): Document {
  return {
    can_allocate: explanation.outcome,
    allocate_explanation: explanation.text,
    ...(explanation.delay === undefined
      ? {}
      : {
          configured_delay_in_millis: explanation.delay.configuredMs,
          remaining_delay_in_millis: Math.round(explanation.delay.remainingMs),
        }),
    ...(explanation.target === undefined ? {} : { target_node: nodeBody(explanation.target) }),
    node_allocation_decisions: explanation.nodes.map((node) => nodeDecision(call, node)),
  };
}

export function moveBody(call: Call, move: MoveExplanation): Document {
  const nodes = { node_allocation_decisions: move.nodes.map((node) => nodeDecision(call, node)) };
  if (!move.canRemain)
    return {
      can_remain_on_current_node: 'no',
      can_remain_decisions: decisions(call, move.remainDecisions),
      can_move_to_other_node: move.outcome,
      move_explanation: move.text,
      ...(move.target === undefined ? {} : { target_node: nodeBody(move.target) }),
      ...nodes,
    };
  const cluster = move.canRebalance === 'YES' ? 'yes' : move.canRebalance === 'NO' ? 'no' : 'throttled';
  return {
    can_remain_on_current_node: 'yes',
    can_rebalance_cluster: cluster,
    ...(cluster === 'yes' ? {} : { can_rebalance_cluster_decisions: decisions(call, move.rebalanceDecisions) }),
    can_rebalance_to_other_node: move.outcome,
    rebalance_explanation: move.text,
    ...(move.target === undefined ? {} : { target_node: nodeBody(move.target) }),
    ...nodes,
  };
}

function nodeDecision(call: Call, { node, decision, rank, decisions: list, store }: NodeExplanation): Document {
  const shown = decisions(call, list);
  return {
    node_id: node.id,
    node_name: node.name,
    transport_address: transportAddress(node),
    node_attributes: node.attributes,
    ...(call.atLeast('8.12.0') ? { roles: node.roles } : {}),
    node_decision: decision,
    ...(store === undefined ? {} : { store: storeBody(store) }),
    ...(rank === undefined ? {} : { weight_ranking: rank }),
    ...(shown.length === 0 ? {} : { deciders: shown }),
  };
}

function storeBody(store: NonNullable<NodeExplanation['store']>): Document {
  if (!store.found) return { found: false };
  if (store.matchingBytes !== undefined) return { matching_size_in_bytes: store.matchingBytes };
  return {
    in_sync: store.inSync ?? false,
    ...(store.allocationId === undefined ? {} : { allocation_id: store.allocationId }),
  };
}

export function decisions(call: Call, list: readonly Decision[]): Document[] {
  return list
    .filter(({ verdict }) => verdict !== 'YES' || call.flag('include_yes_decisions'))
    .map(({ decider, verdict, explanation }) => ({ decider, decision: verdict, explanation }));
}

function nodeBody(node: DiscoveryNode, rank?: number): Document {
  return {
    id: node.id,
    name: node.name,
    transport_address: transportAddress(node),
    attributes: node.attributes,
    roles: node.roles,
    ...(rank === undefined ? {} : { weight_ranking: rank }),
  };
}

function clusterInfo(services: MasterServices): Document {
  const usage = (total: number, free: number) => ({
    path: '/var/lib/elasticsearch',
    total_bytes: total,
    used_bytes: total - free,
    free_bytes: free,
    free_disk_percent: tenth((free * 100) / total),
    used_disk_percent: tenth(((total - free) * 100) / total),
  });
  const members = services.members();
  const nodes = members.map((node) => {
    const disk = usage(node.diskBytes, node.freeBytes);
    return [node.id, { node_name: node.name, least_available: disk, most_available: disk }] as const;
  });
  const sizes: Record<string, number> = {};
  const dataSets: Record<string, number> = {};
  const paths: Record<string, string> = {};
  for (const node of members)
    for (const copy of node.copies.values()) {
      const primary =
        services.core.state.routing
          .get(copy.index)
          ?.[copy.shard]?.find(({ allocationId }) => allocationId === copy.allocationId)?.primary ?? false;
      sizes[`${shardLabel(copy)}[${primary ? 'p' : 'r'}]_bytes`] = copy.store.sizeBytes;
      dataSets[`${shardLabel(copy)}_bytes`] = copy.store.sizeBytes;
      paths[`NodeAndShard[nodeId=${node.id}, shardId=${shardLabel(copy)}]`] = '/var/lib/elasticsearch';
    }
  return {
    nodes: Object.fromEntries(nodes),
    shard_sizes: sizes,
    shard_data_set_sizes: dataSets,
    shard_paths: paths,
    reserved_sizes: [],
  };
}

const tenth = (value: number) => new Double(Math.round(value * 10) / 10);
