import { dayMs, type WaitStep } from '@drover/core';
import { type AuthorityAct, type AuthorityState, type NodeCertificates, newestOf } from '../../model/authority.ts';
import { inService } from '../../model/lifecycle.ts';

/** An instance of the cluster as a rotation sees it. */
export interface RotationNode {
  readonly instanceId: string;
  readonly lifecycleState: string;
  /** The agent's state in Systems Manager. */
  readonly agent: string | undefined;
  /** Whether a node of the cluster has its address. */
  readonly joined: boolean;
  /** The certificates of its Elasticsearch, read after a configuration run of this phase, or why they are not known. */
  readonly seen: NodeCertificates | { readonly failed: string } | undefined;
  /** Whether a command of this run is on its way there. */
  readonly asked: boolean;
}

export interface RotationFacts {
  readonly authority: AuthorityState;
  readonly nodes: readonly RotationNode[];
  /** Nodes of the cluster that are on none of these instances. */
  readonly strangers: readonly string[];
  /** Whether this run has begun the rotation, or found it begun. */
  readonly begun: boolean;
  /** Another rotation is wanted although one has just ended. */
  readonly again: boolean;
  /** Since when nothing has come nearer. */
  readonly stuckSince: number;
}

export type RotationAction =
  | { readonly kind: 'ask'; readonly instanceId: string }
  | { readonly kind: 'act'; readonly act: AuthorityAct };

export interface RotationProgress {
  readonly ready: number;
  readonly of: number;
}

export type RotationOutcome = { readonly progress: RotationProgress } & (
  | { readonly kind: 'rotated' }
  | { readonly kind: 'blocked'; readonly because: string }
);

type Step = WaitStep<RotationAction, RotationOutcome>;

/** An authority that is younger is the one of this rotation: a run that is repeated does not begin another one. */
const recentMs = dayMs;
/** A launch, or two runs of Puppet, are over by then. */
const stuckMs = 20 * 60_000;

/**
 * The next act of a rotation. No phase begins before each node itself has shown, in a TLS
 * handshake, that it has taken the one before: a node that trusts less than others is shut out when it next connects,
 * and until then there is no sign of it.
 */
export function decideRotation(facts: RotationFacts, now: number): Step {
  const { authority, nodes, begun, again } = facts;
  if (authority.phase === 'half-trusted') return act(facts, 'trust');
  if (authority.phase === 'half-signed') return act(facts, 'sign');
  const isOver = now - newestOf(authority).madeAt < recentMs && !again;
  if (authority.phase === 'settled' && !begun && !isOver) return act(facts, 'trust');
  const reason = firstReason(facts);
  if (reason === undefined) {
    if (authority.phase === 'settled')
      return { kind: 'done', outcome: { kind: 'rotated', progress: rotationProgress(facts) } };
    return act(facts, authority.phase === 'trusted' ? 'sign' : 'forget');
  }
  if (now - facts.stuckSince >= stuckMs)
    return { kind: 'done', outcome: { kind: 'blocked', because: reason, progress: rotationProgress(facts) } };
  const asks = nodes.filter((node) => canBeAsked(node) && !isReady(authority, node));
  return {
    kind: 'wait',
    because: reason,
    actions: asks.map(({ instanceId }) => ({ kind: 'ask', instanceId })),
  };
}

const act = (facts: RotationFacts, name: AuthorityAct): Step => ({
  kind: 'wait',
  because: describePhase(facts.authority),
  actions: [{ kind: 'act', act: name }],
});

/** The condition for the next phase, of every node. */
const wanted = {
  settled: 'trusts the new authority alone',
  'half-trusted': '',
  trusted: 'trusts both authorities',
  'half-signed': '',
  signs: 'has a certificate of the new authority',
} as const;

export const rotationProgress = ({
  authority,
  nodes,
}: Pick<RotationFacts, 'authority' | 'nodes'>): RotationProgress => ({
  ready: nodes.filter((node) => isReady(authority, node)).length,
  of: nodes.length,
});

/** In words for an operator. */
export const describePhase = ({ phase, authorities }: Pick<AuthorityState, 'phase' | 'authorities'>): string =>
  ({
    settled: `${authorities[0]!.subject} is the only authority`,
    'half-trusted': 'a second authority is trusted, but its key is not stored',
    trusted: 'both authorities are trusted, the old one signs',
    'half-signed': 'the new key is in place, its certificate is not the first',
    signs: 'both authorities are trusted, the new one signs',
  })[phase];

/** Why the next phase must wait; undefined when nothing is against it. */
function firstReason(facts: RotationFacts): string | undefined {
  const { authority, nodes, strangers } = facts;
  const [stranger] = strangers;
  if (stranger !== undefined) return `node ${stranger} is on no instance of the cluster's groups`;
  for (const node of nodes) {
    if (isReady(authority, node)) continue;
    const { instanceId, lifecycleState, agent, joined, seen } = node;
    if (lifecycleState !== inService) return `${instanceId} is ${lifecycleState}`;
    if (agent !== 'Online') return `Systems Manager does not reach ${instanceId} (${agent ?? 'unknown to it'})`;
    if (!joined) return `${instanceId} is no node of the cluster`;
    if (seen !== undefined && 'failed' in seen) return `${instanceId}: ${seen.failed}`;
    return `not every node ${wanted[authority.phase]} yet: ${instanceId}`;
  }
  return nodes.length === 0 ? 'there is no instance' : undefined;
}

const canBeAsked = ({ lifecycleState, agent, asked }: RotationNode) =>
  lifecycleState === inService && agent === 'Online' && !asked;

function isReady({ phase, authorities }: AuthorityState, node: RotationNode): boolean {
  const { lifecycleState, joined, seen } = node;
  if (lifecycleState !== inService || !joined || seen === undefined || 'failed' in seen) return false;
  const newest = newestOf({ authorities }).subject;
  const trusts = (name: string) => seen.trusts.includes(name);
  if (phase === 'settled') return seen.issuer === newest && seen.trusts.length === 1 && trusts(newest);
  const both = authorities.every(({ subject }) => trusts(subject));
  return phase === 'signs' ? both && seen.issuer === newest : both;
}
