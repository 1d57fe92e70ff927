import type { WaitStep } from '@drover/core';
import { compareVersions } from '../../model/version.ts';
import { elasticsearchRuns } from './node-version.ts';
import { type CheckVerdict, planUpgrade, type UpgradePlan } from './plan-upgrade.ts';
import { nameAbsent, type UpgradeFacts, type UpgradeNode } from './upgrade-checks.ts';

/** The request for an upgrade, in the state bucket: any machine may go on with it. Progress is never stored. */
export interface UpgradeIntent {
  readonly from: string;
  readonly to: string;
  readonly snapshot: string;
  readonly startedAt: string;
}

/** The newest snapshot of an upgrade. `none`: no one has taken it. */
export interface UpgradeSnapshot {
  readonly name: string;
  readonly state: 'none' | 'IN_PROGRESS' | 'SUCCESS' | 'failed';
  readonly endedAt: number;
}

/** A command on a node that this run has sent, or found. */
export interface SentUpgrade {
  readonly node: UpgradeNode;
  readonly state: 'running' | 'succeeded' | 'failed';
  readonly output: string;
  /** How often this run has told the node to upgrade. */
  readonly times: number;
  /** Set when the upgrade of the node has failed and it was only started again: why. */
  readonly failure?: string | undefined;
  /** Its instance is in no group any more: nothing comes back from there. */
  readonly gone: boolean;
}

export interface UpgradeStepFacts extends UpgradeFacts {
  readonly intent: UpgradeIntent | undefined;
  readonly snapshot: UpgradeSnapshot;
  readonly sent: SentUpgrade | undefined;
  /** Since when the checks of a node have been against it; undefined when they are not. */
  readonly blockedSince: number | undefined;
}

export type UpgradeAction =
  | { readonly kind: 'write-intent'; readonly intent: Omit<UpgradeIntent, 'startedAt'> }
  | { readonly kind: 'take-snapshot'; readonly name: string }
  | { readonly kind: 'upgrade-node'; readonly node: UpgradeNode }
  /** Its upgrade has failed while it was stopped: what is installed is started. */
  | { readonly kind: 'start-node'; readonly node: UpgradeNode; readonly failure: string };

export type UpgradeOutcome =
  | { readonly kind: 'upgraded'; readonly plan: UpgradePlan }
  | { readonly kind: 'blocked'; readonly plan: UpgradePlan; readonly blockers: readonly CheckVerdict[] };

/**
 * The way back loses all that was written since the snapshot: an older one is taken again before the first node is upgraded. By its end: a
 * snapshot that takes longer than this would be taken for ever.
 */
export const snapshotLastsMs = 6 * 60 * 60_000;

/** Of attempts whose snapshots got too old before the first node was upgraded. */
export const nthSnapshot = (first: string, nth: number): string => (nth === 1 ? first : `${first}-${nth}`);

/** A node away or a yellow moment passes; what lasts longer needs an operator. */
export const blockedLimitMs = 15 * 60_000;

/** The next act of an upgrade. Never rolls back: no node can be downgraded. */
export function decideUpgrade(facts: UpgradeStepFacts, now: number): WaitStep<UpgradeAction, UpgradeOutcome> {
  const plan = planUpgrade(facts);
  const { sent } = facts;
  if (sent?.state === 'running') return { kind: 'wait', because: describeSent(sent, facts) };
  const blockers = plan.checks.filter(({ verdict }) => verdict === 'blocks');
  const failed = failedNode(facts);
  if (failed !== undefined && isSentAgain(facts, plan)) return upgrade(plan.next!);
  if (sent !== undefined && failed !== undefined)
    return mayStart(facts, sent) ? start(sent.node, failed.because!) : blocked(plan, [failed, ...blockers]);
  if (plan.next === undefined && facts.absent.length === 0 && blockers.length === 0)
    return { kind: 'done', outcome: { kind: 'upgraded', plan } };
  if (plan.next === undefined || blockers.length > 0) return waitOrBlock(facts, plan, blockers, now);
  return prepared(facts, plan, now) ?? upgrade(plan.next);
}

function prepared(
  { intent, skip, snapshot: { name, state, endedAt } }: UpgradeStepFacts,
  plan: UpgradePlan,
  now: number,
): WaitStep<UpgradeAction, UpgradeOutcome> | undefined {
  if (intent === undefined) {
    const action = { from: plan.from, to: plan.to, snapshot: `before-upgrade-${plan.to}` };
    return { kind: 'wait', because: 'intent written', actions: [{ kind: 'write-intent', intent: action }] };
  }
  if (plan.started || skip.includes('snapshot')) return undefined;
  switch (state) {
    case 'none':
      return take(name, `snapshot ${name} begins`);
    case 'IN_PROGRESS':
      return { kind: 'wait', because: `snapshot ${name} is in progress` };
    case 'failed':
      return blocked(plan, [
        {
          check: 'snapshot',
          verdict: 'blocks',
          because: `snapshot ${name} did not succeed: delete it and go on with --resume, which takes it again`,
        },
      ]);
    case 'SUCCESS':
      return now - endedAt <= snapshotLastsMs
        ? undefined
        : take(nextSnapshot(intent, name), `snapshot ${name} is ${hours(now - endedAt)} old: another one begins`);
  }
}

const hours = (ms: number) => `${Math.floor(ms / 3_600_000)} hours`;

const take = (name: string, because: string): WaitStep<UpgradeAction, UpgradeOutcome> => ({
  kind: 'wait',
  because,
  actions: [{ kind: 'take-snapshot', name }],
});

const nextSnapshot = ({ snapshot }: UpgradeIntent, name: string) =>
  nthSnapshot(snapshot, name === snapshot ? 2 : Number(name.slice(snapshot.length + 1)) + 1);

const upgrade = (node: UpgradeNode): WaitStep<UpgradeAction, UpgradeOutcome> => ({
  kind: 'wait',
  because: `node ${node.name} is next`,
  actions: [{ kind: 'upgrade-node', node }],
});

const describeSent = ({ node, failure }: SentUpgrade, { health }: UpgradeStepFacts) =>
  `node ${node.name} is ${failure === undefined ? 'upgraded' : 'started again'}; the cluster is ${health.status}`;

/** A node that is not back is started once with what is installed: each minute without it is one with a copy less. */
const mayStart = ({ nodes }: UpgradeStepFacts, { node, failure, state }: SentUpgrade) =>
  failure === undefined && state === 'failed' && !nodes.some(({ id }) => id === node.id);

const start = (node: UpgradeNode, failure: string): WaitStep<UpgradeAction, UpgradeOutcome> => ({
  kind: 'wait',
  because: failure,
  actions: [{ kind: 'start-node', node, failure }],
});

/**
 * Something on the node may start it between its stop and its package, e.g. the half-hourly configuration: then the
 * command is sent once more.
 */
const mostTimes = 2;

/**
 * The last old node may not join any more in its old version, so a start would not bring it back. The command stops it
 * once more if something has started it.
 */
const isSentAgain = ({ sent, nodes, to }: UpgradeStepFacts, { next }: UpgradePlan) =>
  sent?.state === 'failed' &&
  sent.failure === undefined &&
  sent.times < mostTimes &&
  next?.id === sent.node.id &&
  (isRefused(sent) || nodes.every(({ version }) => compareVersions(version, to) === 0));

const isRefused = ({ output }: SentUpgrade) => output.includes(`refused (${elasticsearchRuns})`);

/** The command ended badly, or well but the node is not what it should be. */
function failedNode({ sent, nodes, to }: UpgradeStepFacts): CheckVerdict | undefined {
  if (sent === undefined || sent.gone) return undefined;
  const here = nodes.find(({ id }) => id === sent.node.id);
  if (sent.state === 'succeeded' && here !== undefined && compareVersions(here.version, to) === 0) return undefined;
  const undone = sent.state === 'succeeded' || isRefused(sent);
  if (undone && here !== undefined && sent.failure === undefined && sent.times < mostTimes) return undefined;
  const what =
    sent.failure ?? (sent.state === 'failed' ? `${lastLine(sent.output)}` : `it runs ${here?.version ?? 'nothing'}`);
  const back =
    sent.failure === undefined ? '' : here === undefined ? '; it does not start' : `; it is back with ${here.version}`;
  return {
    check: sent.state === 'failed' && what.includes('pre-flight: ') ? 'pre-flight' : 'node-returned',
    verdict: 'blocks',
    because: sent.failure === undefined ? `node ${sent.node.name}: ${what}` : `${what}${back}`,
  };
}

const lastLine = (output: string) => output.trim().split('\n').at(-1) ?? 'no output';

/** Before it has begun nothing is waited for; after that a moment of yellow or a node that starts is. Red ends it at once. */
function waitOrBlock(
  facts: UpgradeStepFacts,
  plan: UpgradePlan,
  blockers: readonly CheckVerdict[],
  now: number,
): WaitStep<UpgradeAction, UpgradeOutcome> {
  const lasting = blockers.length === 0 ? [missing(facts)] : blockers;
  const tooLong = facts.blockedSince !== undefined && now - facts.blockedSince >= blockedLimitMs;
  if (facts.intent === undefined || facts.health.status === 'red' || tooLong) return blocked(plan, lasting);
  return { kind: 'wait', because: lasting.map(({ check, because }) => `${check}: ${because}`).join('; ') };
}

/** A node that was away while the last of the others was upgraded comes back with its old version, and Elasticsearch refuses it for ever. */
const missing = ({ absent, to }: UpgradeStepFacts): CheckVerdict => ({
  check: 'one-node-at-a-time',
  verdict: 'blocks',
  because: `${absent.map(nameAbsent).join(', ')}: no node in the cluster; every other node runs ${to}, and one that is older may not join them: terminate the instance when the cluster is green, its group launches one with ${to}`,
});

const blocked = (plan: UpgradePlan, blockers: readonly CheckVerdict[]): WaitStep<UpgradeAction, UpgradeOutcome> => ({
  kind: 'done',
  outcome: { kind: 'blocked', plan, blockers },
});
