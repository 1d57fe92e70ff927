import { describe, expect, it } from 'vitest';
import type { AuthorityPhase } from '../../model/authority.ts';
import { decideRotation, type RotationFacts, type RotationNode } from './rotation.ts';

const day = 86_400_000;
const minute = 60_000;
const now = Date.UTC(2026, 0, 1);
const old = { subject: 'CN=old', madeAt: now - 900 * day, endsAt: now + 20 * day };
const next = { subject: 'CN=new', madeAt: now - minute, endsAt: now + 9000 * day };
const authoritiesOf = {
  settled: [old],
  'half-trusted': [old, next],
  trusted: [old, next],
  'half-signed': [old, next],
  signs: [next, old],
};

const node = (change: Partial<RotationNode> = {}): RotationNode => ({
  instanceId: 'i-1',
  lifecycleState: 'InService',
  agent: 'Online',
  joined: true,
  seen: { trusts: ['CN=old', 'CN=new'], issuer: 'CN=old' },
  asked: false,
  ...change,
});
const facts = (
  phase: AuthorityPhase,
  nodes: readonly RotationNode[],
  change: Partial<RotationFacts> = {},
): RotationFacts => ({
  authority: { phase, authorities: authoritiesOf[phase], digest: 'd' },
  nodes,
  strangers: [],
  begun: true,
  again: false,
  stuckSince: now,
  ...change,
});

/** In a word: the acts, or how it ended, or that it waits. */
function decided(given: RotationFacts, at = now): string {
  const step = decideRotation(given, at);
  if (step.kind === 'done') return step.outcome.kind;
  const acts = step.actions?.map((action) => (action.kind === 'ask' ? `ask ${action.instanceId}` : action.act)) ?? [];
  return acts.join() || `waits: ${step.because}`;
}

const signed = node({ seen: { trusts: ['CN=old', 'CN=new'], issuer: 'CN=new' } });
const settledOnes = { authority: { phase: 'settled' as const, authorities: [next], digest: 'd' } };

describe('the next act of a rotation', () => {
  it.each<[string, RotationFacts, string]>([
    ['begins with trust in a second authority', facts('settled', [node()], { begun: false }), 'trust'],
    ['a second authority whose key is not stored is made again', facts('half-trusted', [node()]), 'trust'],
    ['a key that was put in place without its certificate is followed by it', facts('half-signed', [node()]), 'sign'],
    ['signs once every node trusts both', facts('trusted', [node(), node()]), 'sign'],
    ['asks a node that was not asked', facts('trusted', [node(), node({ seen: undefined })]), 'ask i-1'],
    [
      'asks a node again that does not trust both',
      facts('trusted', [node({ seen: { trusts: ['CN=old'], issuer: 'CN=old' } })]),
      'ask i-1',
    ],
    [
      'does not ask a node twice at the same time',
      facts('trusted', [node({ seen: undefined, asked: true })]),
      'waits: not every node trusts both authorities yet: i-1',
    ],
    [
      'waits for a launch',
      facts('trusted', [node(), node({ lifecycleState: 'Pending:Wait' })]),
      'waits: i-1 is Pending:Wait',
    ],
    [
      'waits for a node that is being drained: it talks to the others',
      facts('signs', [signed, { ...signed, lifecycleState: 'Terminating:Wait' }]),
      'waits: i-1 is Terminating:Wait',
    ],
    [
      'waits for a node that is away: it comes back with what it had',
      facts('signs', [signed, { ...signed, joined: false, asked: true }]),
      'waits: i-1 is no node of the cluster',
    ],
    [
      'waits for an agent',
      facts('trusted', [node({ seen: undefined, agent: 'ConnectionLost' })]),
      'waits: Systems Manager does not reach i-1 (ConnectionLost)',
    ],
    [
      'waits for a node on no instance',
      facts('signs', [signed], { strangers: ['x'] }),
      "waits: node x is on no instance of the cluster's groups",
    ],
    ['a cluster without instances is not ready for anything', facts('trusted', []), 'waits: there is no instance'],
    [
      'a certificate of the old authority holds the end up',
      facts('signs', [signed, node({ asked: true })]),
      'waits: not every node has a certificate of the new authority yet: i-1',
    ],
    ['forgets once every node has a certificate of the new one', facts('signs', [signed, signed]), 'forget'],
    ['is not over while a node still trusts the old one', facts('settled', [signed], settledOnes), 'ask i-1'],
    [
      'is over when the new one alone is trusted',
      facts('settled', [node({ seen: { trusts: ['CN=new'], issuer: 'CN=new' } })], settledOnes),
      'rotated',
    ],
    [
      'a run that is repeated within a day begins no other rotation',
      facts('settled', [node({ seen: { trusts: ['CN=new'], issuer: 'CN=new' } })], { ...settledOnes, begun: false }),
      'rotated',
    ],
    ['unless that is wanted', facts('settled', [], { ...settledOnes, begun: false, again: true }), 'trust'],
  ])('%s', (_what, given, expected) => {
    expect(decided(given)).toBe(expected);
  });

  it('ends after twenty minutes without progress, with what is in the way', () => {
    const given = facts('trusted', [node({ seen: { failed: 'puppet apply failed' } })]);
    expect(decided(given, now + 19 * minute)).toBe('ask i-1');
    expect(decideRotation(given, now + 20 * minute)).toMatchObject({
      kind: 'done',
      outcome: { kind: 'blocked', because: 'i-1: puppet apply failed', progress: { ready: 0, of: 1 } },
    });
  });
});
