import { isInPlaceRestart } from '../../model/shutdown.ts';
import { compareVersions, isOlder } from '../../model/version.ts';
import { tierOf, type UpgradeFacts, type UpgradeNode, upgradeChecks } from './upgrade-checks.ts';

/** The result of one check of an upgrade. */
export interface CheckVerdict {
  readonly check: string;
  readonly verdict: 'ok' | 'blocks' | 'skipped';
  readonly because?: string;
}

export interface UpgradePlan {
  readonly from: string;
  readonly to: string;
  /** Nodes that are still to be upgraded, in their order. */
  readonly order: readonly UpgradeNode[];
  readonly checks: readonly CheckVerdict[];
  /** The node whose turn it is, or that was interrupted; undefined when all are new. */
  readonly next: UpgradeNode | undefined;
  /** Whether any node runs the new version already. */
  readonly started: boolean;
}

/** The order and every check with its verdict, from facts alone: a driver that dies loses nothing. */
export function planUpgrade(facts: UpgradeFacts): UpgradePlan {
  const from = facts.nodes.map(({ version }) => version).sort(compareVersions)[0] ?? facts.to;
  const order = facts.nodes
    .filter((node) => isOlder(node.version, facts.to))
    .sort((a, b) => tierOf(a) - tierOf(b) || (a.name < b.name ? -1 : 1));
  const away = stopped(facts, from);
  const next = away ?? interrupted(facts) ?? order.find((node) => !leaves(facts, node)) ?? order[0];
  const started = facts.nodes.some((node) => compareVersions(node.version, facts.to) === 0);
  const asked = { always: true, start: !started && next !== undefined, node: next !== undefined };
  const subject = next ?? facts.nodes[0];
  // A node that was stopped is better back, whatever else is wrong.
  const wanted = upgradeChecks.filter(({ when }) => (away === undefined ? asked[when] : when === 'always'));
  const checks = subject === undefined ? [] : wanted.map((check) => examine(check, facts, subject));
  return { from, to: facts.to, order, checks, next, started };
}

/**
 * A node that a run before this one has stopped, and that is not back: of its instance only the address was known by the cluster, so it
 * must be the only one without a node.
 */
function stopped({ nodes, records, absent }: UpgradeFacts, version: string): UpgradeNode | undefined {
  const record = records.find((one) => isInPlaceRestart(one) && !nodes.some(({ id }) => id === one.nodeId));
  const [instance, ...others] = absent.filter(({ lifecycleState }) => lifecycleState === 'InService');
  if (record === undefined || instance === undefined || others.length > 0) return undefined;
  const { instanceId } = instance;
  return {
    id: record.nodeId,
    name: instanceId,
    ip: '',
    roles: [],
    version,
    instanceId,
    agent: undefined,
    checksFirst: false,
  };
}

/** A node that is here, new or old, with an unfinished restart: it comes before all others. */
const interrupted = ({ nodes, records }: UpgradeFacts): UpgradeNode | undefined =>
  nodes.find((node) => records.some((record) => record.nodeId === node.id && isInPlaceRestart(record)));

const leaves = ({ records }: UpgradeFacts, node: UpgradeNode) =>
  records.some((record) => record.nodeId === node.id && !isInPlaceRestart(record));

function examine(
  { name, examine: look }: (typeof upgradeChecks)[number],
  facts: UpgradeFacts,
  next: UpgradeNode,
): CheckVerdict {
  const because = look(facts, next);
  if (because === undefined) return { check: name, verdict: 'ok' };
  return { check: name, verdict: facts.skip.includes(name) ? 'skipped' : 'blocks', because };
}
