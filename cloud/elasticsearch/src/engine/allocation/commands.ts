import type { Document, Value } from '@drover/formats';
import { ElasticsearchError, illegalArgument, indexNotFound } from '../errors.ts';
import { findNode } from '../state/cluster-state.ts';
import type { IndexMetadata } from '../state/index-metadata.ts';
import { type DiscoveryNode, nodeLabel } from '../state/node-info.ts';
import { isRelocationTarget, type ShardRouting, shardLabel } from '../state/shard.ts';
import { isDocument } from '../values/value.ts';
import { allocateDecisions } from './deciders/all.ts';
import { type AllocationContext, combined, type Decision, no, yes } from './decision.ts';
import type { FindCopies } from './existing-copies.ts';

/** A command of the reroute API, read and ready to run. */
export interface Command {
  readonly name: string;
  readonly parameters: Document;
  /** Changes the routing; returns the decisions behind it, or throws what is wrong unless `explaining`. */
  run(context: AllocationContext, findCopies: FindCopies, explaining: boolean): readonly Decision[];
}

const parameterNames: Readonly<Record<string, readonly string[]>> = {
  move: ['index', 'shard', 'from_node', 'to_node'],
  cancel: ['index', 'shard', 'node'],
  allocate_replica: ['index', 'shard', 'node'],
  allocate_stale_primary: ['index', 'shard', 'node'],
  allocate_empty_primary: ['index', 'shard', 'node'],
};

/** Reads the `commands` of a request ("Cluster reroute API"). */
export function readCommands(commands: Value): Command[] {
  return (Array.isArray(commands) ? (commands as readonly Value[]) : []).map((entry) => {
    const [name] = isDocument(entry) ? Object.keys(entry) : [''];
    const required = parameterNames[name ?? ''];
    const body = isDocument(entry) ? entry[name!] : undefined;
    if (required === undefined || !isDocument(body))
      throw unreadable({ type: 'named_object_not_found_exception', reason: `[1:21] unknown field [${name}]` });
    const missing = required.find((key) => body[key] === undefined);
    if (missing !== undefined)
      throw unreadable({ type: 'parse_exception', reason: `[${name}] command missing the ${missing} parameter` });
    return makeCommand(name!, body);
  });
}

const unreadable = (causedBy: { type: string; reason: string }) =>
  new ElasticsearchError({
    type: 'x_content_parse_exception',
    reason: '[1:21] [cluster_reroute] failed to parse field [commands]',
    causedBy,
    rootCause: [causedBy],
  });

function makeCommand(name: string, body: Document): Command {
  const target = { index: String(body.index), shard: Number(body.shard) };
  switch (name) {
    case 'move':
      return {
        name,
        parameters: { ...target, from_node: body.from_node!, to_node: body.to_node! },
        run: (context) => move(context, target, String(body.from_node), String(body.to_node)),
      };
    case 'cancel': {
      const allow = body.allow_primary === true;
      return {
        name,
        parameters: { ...target, node: body.node!, allow_primary: allow },
        run: (context) => cancel(context, target, String(body.node), allow),
      };
    }
    case 'allocate_replica':
      return {
        name,
        parameters: { ...target, node: body.node! },
        run: (context) => allocateReplica(context, target, String(body.node)),
      };
    default: {
      const accept = body.accept_data_loss === true;
      return {
        name,
        parameters: { ...target, node: body.node!, accept_data_loss: accept },
        run: (context, findCopies) => allocatePrimary(context, findCopies, name, target, String(body.node), accept),
      };
    }
  }
}

interface Target {
  readonly index: string;
  readonly shard: number;
}

function resolve(context: AllocationContext, name: string): DiscoveryNode {
  const node = findNode(context.state, name);
  if (node === undefined) throw illegalArgument(`failed to resolve [${name}], no matching nodes`);
  return node;
}

/** The index of a shard that a request names. */
export function indexOfShard({ state }: AllocationContext, { index: name, shard }: Target): IndexMetadata {
  const index = state.indices.get(name);
  if (index === undefined) throw indexNotFound(name, false);
  if (state.routing.get(name)![shard] === undefined)
    throw new ElasticsearchError({
      type: 'shard_not_found_exception',
      reason: 'no such shard',
      details: { index_uuid: index.uuid, shard: String(shard), index: name },
    });
  return index;
}

function move(context: AllocationContext, target: Target, from: string, to: string): readonly Decision[] {
  const [source, destination] = [resolve(context, from), resolve(context, to)];
  const shard = context.routing.assigned(target).find((copy) => copy.node === source.id && !isRelocationTarget(copy));
  if (shard === undefined)
    throw new Refused(moving, `can't move ${target.shard}, failed to find it on node ${nodeLabel(source)}`, [
      no(moving.decider, `shard ${target.shard} not found`),
    ]);
  if (shard.state !== 'STARTED')
    throw new Refused(moving, `can't move ${target.shard}, shard is not started (state = ${shard.state}])`, [
      no(moving.decider, `shard ${target.shard} has not been started`),
    ]);
  const decisions = allocateDecisions(shard, destination, context);
  if (combined(decisions) === 'NO')
    throw new Refused(
      moving,
      `can't move ${target.shard}, from ${nodeLabel(source)}, to ${nodeLabel(destination)}, since its not allowed, reason: ${summary(decisions)}`,
      decisions,
    );
  context.routing.relocate(shard, destination.id);
  return decisions;
}

/** A command that cannot be carried out; with `explain` its decisions are shown instead. */
export class Refused extends Error {
  readonly decisions: readonly Decision[];

  constructor({ error, decider }: CommandName, reason: string, decisions: readonly Decision[] = [no(decider, reason)]) {
    super(`[${error}] ${reason}`);
    this.decisions = decisions;
  }
}

/** The name of a command in errors, and as the decider of an explanation. */
interface CommandName {
  readonly error: string;
  readonly decider: string;
}

const moving = { error: 'move_allocation', decider: 'move_allocation_command' };
const cancelling = { error: 'cancel_allocation', decider: 'cancel_allocation_command' };
const allocating = (name: string) => ({ error: name, decider: `${name} (allocation command)` });

const summary = (decisions: readonly Decision[]) =>
  decisions.map(({ verdict, explanation }) => `[${verdict}(${explanation})]`).join('');

function cancel(context: AllocationContext, target: Target, name: string, allowPrimary: boolean): readonly Decision[] {
  const node = resolve(context, name);
  const shard = context.routing.assigned(target).find((copy) => copy.node === node.id);
  if (shard === undefined)
    throw new Refused(cancelling, `can't cancel ${target.shard}, failed to find it on node ${nodeLabel(node)}`);
  if (shard.primary && !allowPrimary && !isRelocationTarget(shard))
    throw new Refused(
      cancelling,
      `can't cancel ${target.shard} on node ${nodeLabel(node)}, shard is primary and ${shard.state.toLowerCase()}`,
    );
  context.routing.fail(shard, unassigned('REROUTE_CANCELLED', context, shard));
  return [yes('cancel_allocation_command', `shard ${target.shard} on node ${nodeLabel(node)} can be cancelled`)];
}

const unassigned = (
  reason: 'REROUTE_CANCELLED' | 'FORCED_EMPTY_PRIMARY',
  context: AllocationContext,
  shard?: ShardRouting,
) => ({
  reason,
  atMs: context.nowMs,
  failedAllocations: 0,
  failedNodes: [],
  delayed: false,
  allocationStatus: 'no_attempt' as const,
  ...(shard?.node === undefined ? {} : { lastNode: shard.node }),
});

function allocateReplica(context: AllocationContext, target: Target, name: string): readonly Decision[] {
  const node = resolve(context, name);
  indexOfShard(context, target);
  const label = shardLabel(target);
  const primary = context.routing.primaryOf(target);
  if (primary === undefined)
    throw new Refused(
      allocating('allocate_replica'),
      `trying to allocate a replica shard ${label}, while corresponding primary shard is still unassigned`,
    );
  const shard = context.routing.unassigned.find(
    (copy) => copy.index === target.index && copy.shard === target.shard && !copy.primary,
  );
  if (shard === undefined)
    throw new Refused(
      allocating('allocate_replica'),
      `all copies of ${label} are already assigned. Use the move allocation command instead`,
    );
  const decisions = allocateDecisions(shard, node, context);
  if (combined(decisions) === 'NO')
    throw new Refused(
      allocating('allocate_replica'),
      `allocation of ${label} on node ${nodeLabel(node)} is not allowed, reason: ${summary(decisions)}`,
      decisions,
    );
  context.routing.initialize(shard, node.id);
  return decisions;
}

/** Brings a shard back without its in-sync copies. What those held is lost, so the caller has to accept that. */
function allocatePrimary(
  context: AllocationContext,
  findCopies: FindCopies,
  name: string,
  target: Target,
  nodeName: string,
  accept: boolean,
): readonly Decision[] {
  const label = shardLabel(target);
  const index = indexOfShard(context, target);
  const shard = context.routing.unassigned.find(
    (copy) => copy.index === target.index && copy.shard === target.shard && copy.primary,
  );
  if (shard === undefined) throw new Refused(allocating(name), `primary ${label} is already assigned`);
  const copies = findCopies(index.uuid, target.shard);
  if (name === 'allocate_stale_primary' && copies.length === 0)
    throw illegalArgument(`No data for shard [${target.shard}] of index [${target.index}] found on any node`);
  const node = resolve(context, nodeName);
  const what = name === 'allocate_stale_primary' ? 'a stale primary' : 'an empty primary';
  if (!accept && !(name === 'allocate_empty_primary' && shard.recoverySource?.type === 'EMPTY_STORE'))
    throw new Refused(
      allocating(name),
      `allocating ${what} for ${label} can result in data loss. Please confirm by setting the accept_data_loss parameter to true`,
    );
  if (name === 'allocate_empty_primary') {
    context.routing.setInSync(target, []);
    const empty: ShardRouting = {
      ...shard,
      recoverySource: { type: 'EMPTY_STORE' },
      unassignedInfo: unassigned('FORCED_EMPTY_PRIMARY', context),
    };
    context.routing.updateUnassigned(shard, empty);
    context.routing.initialize(empty, node.id);
  } else {
    const copy = copies.find(({ nodeId }) => nodeId === node.id);
    if (copy === undefined)
      throw illegalArgument(
        `No data for shard [${target.shard}] of index [${target.index}] found on node [${nodeName}]`,
      );
    context.routing.setInSync(target, [copy.allocationId]);
    const stale: ShardRouting = { ...shard, recoverySource: { type: 'EXISTING_STORE', bootstrapNewHistoryUUID: true } };
    context.routing.updateUnassigned(shard, stale);
    context.routing.initialize(stale, node.id, copy.allocationId);
  }
  return [yes(allocating(name).decider, 'ignore deciders')];
}
