import type { DiscoveryNode } from '../state/node-info.ts';
import { isActive, type ShardRouting } from '../state/shard.ts';
import { formatTime } from '../values/units.ts';
import { allocateDecisions, rebalanceDecisions, remainDecisions } from './deciders/all.ts';
import { type AllocationContext, combined, type Decision, type Verdict } from './decision.ts';
import { dataNodes } from './desired-balance.ts';
import type { CopyOnDisk, FindCopies } from './existing-copies.ts';
import { explainTexts } from './explain-texts.ts';
import { Weights } from './weights.ts';

export type NodeVerdict = 'yes' | 'no' | 'throttled' | 'worse_balance';

export interface NodeExplanation {
  readonly node: DiscoveryNode;
  readonly decision: NodeVerdict;
  readonly rank?: number;
  readonly decisions: readonly Decision[];
  /** The copy on the node's disk, where it matters. */
  readonly store?: {
    readonly found: boolean;
    readonly inSync?: boolean;
    readonly allocationId?: string;
    readonly matchingBytes?: number;
  };
}

export interface AllocateExplanation {
  readonly kind: 'allocate';
  readonly outcome: 'yes' | 'no' | 'throttled' | 'no_valid_shard_copy' | 'allocation_delayed';
  readonly text: string;
  readonly delay?: { readonly configuredMs: number; readonly remainingMs: number };
  readonly target?: DiscoveryNode;
  readonly nodes: readonly NodeExplanation[];
}

export interface MoveExplanation {
  readonly kind: 'move';
  readonly canRemain: boolean;
  readonly remainDecisions: readonly Decision[];
  readonly outcome: 'yes' | 'no' | 'throttled';
  readonly text: string;
  readonly rebalanceDecisions: readonly Decision[];
  readonly canRebalance: Verdict;
  readonly rank?: number;
  readonly target?: DiscoveryNode;
  readonly nodes: readonly NodeExplanation[];
}

const toVerdict = (verdict: Verdict): 'yes' | 'no' | 'throttled' =>
  verdict === 'YES' ? 'yes' : verdict === 'NO' ? 'no' : 'throttled';

/** Why an unassigned copy is where it is not. */
export function explainUnassigned(
  shard: ShardRouting,
  context: AllocationContext,
  findCopies: FindCopies,
  delay: { configuredMs: number; remainingMs: number },
): AllocateExplanation {
  if (shard.primary && shard.recoverySource?.type === 'EXISTING_STORE')
    return explainExistingPrimary(shard, context, findCopies);
  const fresh = shard.primary || shard.unassignedInfo?.reason === 'INDEX_CREATED';
  const nodes = explainNodes(shard, context, fresh);
  if (!shard.primary && shard.unassignedInfo?.delayed === true && delay.remainingMs > 0) {
    const text = explainTexts.allocate.delayed(formatTime(delay.remainingMs));
    return {
      kind: 'allocate',
      outcome: 'allocation_delayed',
      text,
      delay,
      nodes: withStores(shard, nodes, context, findCopies),
    };
  }
  const outcome = bestOf(nodes.map(({ decision }) => decision));
  const shown =
    fresh || outcome !== 'no'
      ? nodes
      : withStores(
          shard,
          nodes.map(({ rank: _, ...rest }) => rest),
          context,
          findCopies,
        );
  const target = nodes.find(({ decision }) => decision === outcome)?.node;
  return {
    kind: 'allocate',
    outcome,
    text: explainTexts.allocate[outcome],
    ...(outcome === 'no' || target === undefined ? {} : { target }),
    nodes: shown,
  };
}

function bestOf(decisions: readonly NodeVerdict[]): 'yes' | 'no' | 'throttled' {
  if (decisions.includes('yes')) return 'yes';
  return decisions.includes('throttled') ? 'throttled' : 'no';
}

function explainNodes(shard: ShardRouting, context: AllocationContext, ranked: boolean): NodeExplanation[] {
  const weights = new Weights(context, dataNodes(context.state));
  return weights.lightestFirst(shard.index).map((node, at) => {
    const decisions = allocateDecisions(shard, node, context);
    return { node, decision: toVerdict(combined(decisions)), ...(ranked ? { rank: at + 1 } : {}), decisions };
  });
}

function withStores(
  shard: ShardRouting,
  nodes: readonly NodeExplanation[],
  context: AllocationContext,
  findCopies: FindCopies,
): NodeExplanation[] {
  const copies = findCopies(shard.indexUUID, shard.shard);
  const primary = context.routing.primaryOf(shard);
  return nodes.map((explanation) => {
    const copy = copies.find(({ nodeId }) => nodeId === explanation.node.id);
    const same = primary !== undefined && primary.node === explanation.node.id;
    return copy === undefined || !same
      ? explanation
      : { ...explanation, store: { found: true, matchingBytes: copy.store.sizeBytes } };
  });
}

function explainExistingPrimary(
  shard: ShardRouting,
  context: AllocationContext,
  findCopies: FindCopies,
): AllocateExplanation {
  const inSync = context.routing.index(shard.index).inSync[shard.shard]!;
  const copies = findCopies(shard.indexUUID, shard.shard);
  const nodes = dataNodes(context.state).map((node) => explainHolder(node, shard, copies, inSync, context));
  const holders = nodes.filter(({ store }) => store?.inSync === true);
  if (holders.length === 0)
    return { kind: 'allocate', outcome: 'no_valid_shard_copy', text: explainTexts.allocate.no_valid_shard_copy, nodes };
  const outcome = bestOf(holders.map(({ decision }) => decision));
  const target = holders.find(({ decision }) => decision === outcome)!.node;
  return {
    kind: 'allocate',
    outcome,
    text: explainTexts.allocate[outcome],
    ...(outcome === 'no' ? {} : { target }),
    nodes,
  };
}

function explainHolder(
  node: DiscoveryNode,
  shard: ShardRouting,
  copies: readonly CopyOnDisk[],
  inSync: readonly string[],
  context: AllocationContext,
): NodeExplanation {
  const copy = copies.find(({ nodeId }) => nodeId === node.id);
  if (copy === undefined) return { node, decision: 'no', decisions: [], store: { found: false } };
  const decisions = allocateDecisions(shard, node, context);
  const good = inSync.includes(copy.allocationId);
  return {
    node,
    decision: good ? toVerdict(combined(decisions)) : 'no',
    decisions,
    store: { found: true, inSync: good, allocationId: copy.allocationId },
  };
}

/** Why an assigned copy stays, has to go, or could go. */
export function explainAssigned(shard: ShardRouting, context: AllocationContext): MoveExplanation {
  const node = context.state.nodes.get(shard.node!)!;
  const remain = remainDecisions(shard, node, context);
  return combined(remain) === 'NO'
    ? explainForcedMove(shard, context, remain)
    : explainRebalance(shard, context, remain);
}

function explainForcedMove(
  shard: ShardRouting,
  context: AllocationContext,
  remain: readonly Decision[],
): MoveExplanation {
  const nodes = explainNodes(shard, context, true)
    .filter(({ node }) => node.id !== shard.node)
    .map((entry, at) => ({ ...entry, rank: at + 1 }));
  const outcome = bestOf(nodes.map(({ decision }) => decision));
  const target = nodes.find(({ decision }) => decision === outcome)?.node;
  return {
    kind: 'move',
    canRemain: false,
    remainDecisions: remain,
    outcome,
    text: explainTexts.move[outcome],
    rebalanceDecisions: [],
    canRebalance: 'NO',
    ...(outcome === 'no' || target === undefined ? {} : { target }),
    nodes,
  };
}

function explainRebalance(
  shard: ShardRouting,
  context: AllocationContext,
  remain: readonly Decision[],
): MoveExplanation {
  const weights = new Weights(context, dataNodes(context.state));
  const rebalance = rebalanceDecisions(shard, context);
  const allowed = combined(rebalance);
  const mine = weights.of(shard.node!, shard.index);
  const ranks = rankByWeight(weights, shard, context);
  const nodes = weights
    .lightestFirst(shard.index)
    .filter(({ id }) => id !== shard.node)
    .map((node): NodeExplanation => {
      const decisions = allocateDecisions(shard, node, context);
      const verdict = combined(decisions);
      const better =
        mine - weights.of(node.id, shard.index) > weights.threshold && improves(weights, shard, node.id, mine);
      const decision: NodeVerdict = verdict === 'NO' ? 'no' : !better ? 'worse_balance' : toVerdict(verdict);
      return { node, decision, rank: ranks.get(node.id)!, decisions };
    });
  const ordered = [...nodes].sort((a, b) => order(a.decision) - order(b.decision));
  const target = nodes.find(({ decision }) => decision === 'yes' || decision === 'throttled')?.node;
  const outcome =
    target === undefined || allowed === 'NO'
      ? allowed === 'THROTTLE'
        ? 'throttled'
        : 'no'
      : allowed === 'THROTTLE'
        ? 'throttled'
        : 'yes';
  return {
    kind: 'move',
    canRemain: true,
    remainDecisions: remain,
    outcome,
    text: rebalanceText(outcome, allowed, target !== undefined),
    rebalanceDecisions: rebalance,
    canRebalance: allowed,
    rank: ranks.get(shard.node!)!,
    ...(target === undefined || outcome !== 'yes' ? {} : { target }),
    nodes: ordered,
  };
}

const order = (decision: NodeVerdict) => ({ yes: 0, throttled: 1, no: 2, worse_balance: 3 })[decision];

/** Nodes of equal weight share a rank. */
function rankByWeight(weights: Weights, shard: ShardRouting, context: AllocationContext): Map<string, number> {
  const ranks = new Map<string, number>();
  let rank = 0;
  let last = Number.NaN;
  for (const node of weights.lightestFirst(shard.index, dataNodes(context.state))) {
    const weight = weights.of(node.id, shard.index);
    if (Math.abs(weight - last) > 1e-6 || Number.isNaN(last)) rank += 1;
    last = weight;
    ranks.set(node.id, rank);
  }
  return ranks;
}

function improves(weights: Weights, shard: ShardRouting, to: string, mine: number): boolean {
  weights.add(shard.node!, shard, -1);
  weights.add(to, shard);
  const after = weights.of(to, shard.index);
  weights.add(shard.node!, shard);
  weights.add(to, shard, -1);
  return after < mine;
}

function rebalanceText(outcome: 'yes' | 'no' | 'throttled', allowed: Verdict, betterExists: boolean): string {
  const texts = explainTexts.rebalance;
  if (outcome === 'yes') return texts.yes;
  if (outcome === 'throttled') return texts.throttled;
  if (allowed !== 'NO') return texts.balanced;
  return betterExists ? texts.betterButForbidden : texts.forbidden;
}

/** The copy that a request without a target is about: an unassigned primary before an unassigned replica. */
export function anyUnassigned(context: AllocationContext): ShardRouting | undefined {
  const { unassigned } = context.routing;
  return unassigned.find((shard) => shard.primary) ?? unassigned[0];
}

/** The copy that a request names. */
export function findCopy(
  context: AllocationContext,
  index: string,
  shard: number,
  primary: boolean,
  nodeId?: string,
): ShardRouting | undefined {
  const copies = [
    ...context.routing.assigned({ index, shard }),
    ...context.routing.unassigned.filter((copy) => copy.index === index && copy.shard === shard),
  ];
  const own = copies.filter(
    (copy) => copy.primary === primary && !(copy.state === 'INITIALIZING' && copy.relocatingNode !== undefined),
  );
  if (nodeId !== undefined) return own.find((copy) => copy.node === nodeId);
  // Of several replicas an unassigned one is the one worth explaining.
  return own.find((copy) => !isActive(copy)) ?? own[0];
}
