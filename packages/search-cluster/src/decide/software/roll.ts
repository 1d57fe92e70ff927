import type { WaitStep } from '@drover/core';
import type { ClusterHealth } from '../../model/health.ts';
import { inService } from '../../model/lifecycle.ts';
import { describeRecord, isInPlaceRestart, type ShutdownRecord } from '../../model/shutdown.ts';
import type { Software, SoftwarePointer, SoftwareReport } from '../../model/software.ts';
import { isOlder } from '../../model/version.ts';
import { tierOf, type UpgradeNode } from '../upgrade/upgrade-checks.ts';

/** An instance of the cluster as a roll sees it. */
export interface RollNode {
  readonly instanceId: string;
  readonly lifecycleState: string;
  readonly isMaster: boolean;
  /** Its node in the cluster; undefined when none has its address. */
  readonly node: Pick<UpgradeNode, 'id' | 'name' | 'version' | 'roles'> | undefined;
  readonly elected: boolean;
  /** The agent's state in Systems Manager. */
  readonly agent: string | undefined;
  readonly report: SoftwareReport | undefined;
}

/** The command that this run has sent, or found. */
export interface SentRoll {
  readonly instanceId: string;
  readonly state: 'running' | 'succeeded' | 'failed';
  readonly output: string;
}

export interface RollFacts {
  /** The software that every node should have. */
  readonly pointer: SoftwarePointer;
  /** Of all groups. */
  readonly nodes: readonly RollNode[];
  readonly records: readonly ShutdownRecord[];
  readonly health: ClusterHealth;
  readonly sent: SentRoll | undefined;
  /** Since when something has been against the next node; undefined when nothing is. */
  readonly blockedSince: number | undefined;
}

export interface RollProgress {
  readonly taken: number;
  readonly of: number;
}

export type RollAction =
  | { readonly kind: 'take'; readonly node: RollNode }
  /** Every node has it: from now on new instances take it at their boot. */
  | { readonly kind: 'prove' };

export type RollOutcome = { readonly progress: RollProgress } & (
  | { readonly kind: 'rolled' }
  /** A node could not take it: no other one is begun. */
  | { readonly kind: 'stopped'; readonly because: string }
  /** Nothing is wrong with the software, but it cannot go on now. */
  | { readonly kind: 'blocked'; readonly because: string }
);

type Step = WaitStep<RollAction, RollOutcome>;

/** A moment of yellow or a node that starts passes; what lasts longer needs an operator. */
const blockedLimitMs = 15 * 60_000;

export const rollProgress = ({ pointer, nodes }: Pick<RollFacts, 'pointer' | 'nodes'>): RollProgress => ({
  taken: nodes.filter((node) => has(node, pointer, 'taken')).length,
  of: nodes.length,
});

const has = ({ report }: Pick<RollNode, 'report'>, { digest }: Software, state: SoftwareReport['state']) =>
  report?.digest === digest && report.state === state;

/** The nodes that could not take this software. */
export const failedNodes = ({ pointer, nodes }: Pick<RollFacts, 'pointer' | 'nodes'>): readonly RollNode[] =>
  nodes.filter((node) => has(node, pointer, 'failed'));

/** The next act of a roll: one node after the other, each while nothing else is away. */
export function decideRoll(facts: RollFacts, now: number): Step {
  const { sent, pointer } = facts;
  if (sent?.state === 'running') return { kind: 'wait', because: `${sent.instanceId} takes ${pointer.version}` };
  const ended = sent === undefined ? undefined : judgeSent(facts, sent, now);
  if (ended !== undefined) return ended;
  const next = nextNode(facts);
  if (next === undefined && !facts.nodes.some(({ lifecycleState }) => lifecycleState !== inService))
    return pointer.proven
      ? done(facts, { kind: 'rolled' })
      : { kind: 'wait', because: 'every node has it', actions: [{ kind: 'prove' }] };
  const upgrade = neededUpgrade(facts, next);
  if (upgrade !== undefined) return done(facts, { kind: 'blocked', because: upgrade });
  const because = whyNot(facts, next);
  if (because === undefined && next !== undefined)
    return { kind: 'wait', because: `${nameOf(next)} is next`, actions: [{ kind: 'take', node: next }] };
  return waitedTooLong(facts, now)
    ? done(facts, { kind: 'blocked', because: because! })
    : { kind: 'wait', because: because! };
}

/**
 * The version of Elasticsearch that the stack asks for is installed by an upgrade alone, with its checks and its snapshot:
 * settings that may be meant for it are not taken before. A node that was interrupted is finished in any case.
 */
function neededUpgrade({ pointer, nodes }: RollFacts, next: RollNode | undefined): string | undefined {
  const { elasticsearchVersion: wanted } = pointer;
  const older = nodes.find(({ node }) => node !== undefined && isOlder(node.version, wanted));
  if (older?.node === undefined || (next !== undefined && has(next, pointer, 'taking'))) return undefined;
  return `the stack asks for Elasticsearch ${wanted}, and ${nameOf(older)} runs ${older.node.version}: a roll does not install it. Run first: drover cluster upgrade --to ${wanted}`;
}

const waitedTooLong = ({ blockedSince }: RollFacts, now: number) =>
  blockedSince !== undefined && now - blockedSince >= blockedLimitMs;

const done = (facts: RollFacts, end: { kind: 'rolled' } | { kind: 'stopped' | 'blocked'; because: string }): Step => ({
  kind: 'done',
  outcome: { ...end, progress: rollProgress(facts) },
});

/** Undefined: the node has it, and the roll goes on. */
function judgeSent(facts: RollFacts, sent: SentRoll, now: number): Step | undefined {
  const node = facts.nodes.find(({ instanceId }) => instanceId === sent.instanceId);
  // Its group lets it go: what comes instead has its own turn.
  if (node === undefined || has(node, facts.pointer, 'taken')) return undefined;
  const words = lastLine(sent.output);
  if (has(node, facts.pointer, 'failed'))
    return done(facts, { kind: 'stopped', because: `${nameOf(node)}: ${node.report?.because ?? words}` });
  // EC2 shows a tag a moment after it was set.
  if (sent.state === 'succeeded' && !waitedTooLong(facts, now))
    return { kind: 'wait', because: `${nameOf(node)} has not reported yet` };
  // It said nothing of the software: it was refused, or its archives could not be fetched.
  return done(facts, { kind: 'blocked', because: `${nameOf(node)}: ${words}` });
}

const lastLine = (output: string) => output.trim().split('\n').at(-1) || 'no output';

export const nameOf = ({ node, instanceId }: RollNode): string =>
  node === undefined ? instanceId : `${node.name} (${instanceId})`;

/** One that failed before all others, then one that was interrupted; then as an upgrade goes: tier by tier, masters after data nodes, the elected one last. */
function nextNode({ pointer, nodes }: RollFacts): RollNode | undefined {
  const rank = (node: RollNode) => {
    if (has(node, pointer, 'failed')) return 0;
    if (has(node, pointer, 'taking')) return 1;
    const tier = node.node === undefined ? 0 : tierOf(node.node);
    return 2 + (node.isMaster ? mastersRank + Number(node.elected) : tier);
  };
  return nodes
    .filter((node) => node.lifecycleState === inService && !has(node, pointer, 'taken'))
    .sort((a, b) => rank(a) - rank(b) || (a.instanceId < b.instanceId ? -1 : 1))[0];
}

/** After every tier. */
const mastersRank = 100;

/** The first unmet condition of a node's turn. */
function whyNot({ nodes, records, health }: RollFacts, next: RollNode | undefined): string | undefined {
  const moving = nodes.filter(({ lifecycleState }) => lifecycleState !== inService);
  if (moving.length > 0) return `${nameOf(moving[0]!)} is ${moving[0]!.lifecycleState}`;
  if (next === undefined) return undefined;
  if (next.agent !== 'Online')
    return `Systems Manager does not reach ${nameOf(next)} (${next.agent ?? 'never registered'})`;
  const own = (record: ShutdownRecord) => record.nodeId === next.node?.id && isInPlaceRestart(record);
  const other = records.find((record) => !own(record));
  if (other !== undefined) return describeRecord(other);
  // A node that was interrupted may be the reason for what follows, and is better finished.
  if (next.report?.state === 'taking') return undefined;
  if (next.node === undefined) return `${next.instanceId} has no node in the cluster`;
  return health.status === 'green' ? undefined : `the cluster is ${health.status}`;
}
