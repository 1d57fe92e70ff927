import { describe, expect, it } from 'vitest';
import type { ClusterHealth } from '../../model/health.ts';
import {
  lastProven,
  pointTo,
  reportIn,
  reportText,
  type SoftwarePointer,
  type WantedSoftware,
} from '../../model/software.ts';
import { decideRoll, type RollFacts, type RollNode } from './roll.ts';

const software: WantedSoftware = {
  version: '0.3.0',
  digest: 'new',
  archives: [],
  facts: {},
  elasticsearchVersion: '8.19.21',
};
const pointer: SoftwarePointer = { ...software, proven: false, before: { ...software, digest: 'old' } };
const taken = { digest: 'new', state: 'taken' } as const;
const node = (instanceId: string, change: Partial<RollNode> = {}): RollNode => ({
  instanceId,
  lifecycleState: 'InService',
  isMaster: false,
  node: { id: `node-${instanceId}`, name: instanceId, version: '8.19.21', roles: ['data'] },
  elected: false,
  agent: 'Online',
  report: { digest: 'old', state: 'taken' },
  ...change,
});
const inTier = (id: string, role: string) => node(id, { node: { ...node(id).node!, roles: [role] } });
const master = (id: string, change: Partial<RollNode> = {}) => node(id, { isMaster: true, ...change });
const facts = (nodes: readonly RollNode[], change: Partial<RollFacts> = {}): RollFacts => ({
  pointer,
  nodes,
  records: [],
  health: { status: 'green' } as ClusterHealth,
  sent: undefined,
  blockedSince: undefined,
  ...change,
});
const record = (nodeId: string, reason: string) =>
  ({ nodeId, type: 'RESTART', reason, startedAt: 0, status: 'COMPLETE', shardsRemaining: 0 }) as never;

/** In a word: who is next, or how it ended, or that it waits. */
function decided(given: RollFacts, now = 0): string {
  const step = decideRoll(given, now);
  if (step.kind === 'done') return `${step.outcome.kind} ${step.outcome.progress.taken}/${step.outcome.progress.of}`;
  return (
    step.actions?.map((action) => (action.kind === 'take' ? action.node.instanceId : action.kind)).join() ??
    `waits: ${step.because}`
  );
}

describe('the next act of a roll', () => {
  it.each([
    ['data nodes come before masters', [master('a'), node('b')], 'b'],
    ['warm nodes come before hot ones', [inTier('a', 'data_hot'), master('b'), inTier('c', 'data_warm')], 'c'],
    ['frozen nodes come before all others', [inTier('a', 'data_cold'), inTier('b', 'data_frozen')], 'b'],
    ['the elected master comes last', [master('a', { elected: true }), master('b')], 'b'],
    [
      'a node that was interrupted comes before others',
      [node('a'), node('b', { report: { ...taken, state: 'taking' } })],
      'b',
    ],
    [
      'a node that failed comes before all others',
      [node('a', { report: { ...taken, state: 'taking' } }), node('b', { report: { ...taken, state: 'failed' } })],
      'b',
    ],
    [
      'a failure of other software is no failure of this one',
      [node('a'), node('b', { report: { digest: 'old', state: 'failed' } })],
      'a',
    ],
    [
      'software that all nodes have is noted as proven',
      [node('a', { report: taken }), master('b', { report: taken })],
      'prove',
    ],
    ['a node without a report takes it', [node('a', { report: undefined })], 'a'],
    [
      'an instance that launches is waited for',
      [node('a'), node('b', { lifecycleState: 'Pending:Wait' })],
      'waits: b (b) is Pending:Wait',
    ],
    [
      'a node whose agent is away is waited for',
      [node('a', { agent: 'ConnectionLost' })],
      'waits: Systems Manager does not reach a (a) (ConnectionLost)',
    ],
  ])('%s', (_what, nodes, expected) => {
    expect(decided(facts(nodes))).toBe(expected);
  });

  it('software that all nodes have, and that is noted as proven, ends the roll', () => {
    const nodes = [node('a', { report: taken }), master('b', { report: taken })];
    expect(decided(facts(nodes, { pointer: { ...pointer, proven: true } }))).toBe('rolled 2/2');
  });

  it('a version of Elasticsearch that only an upgrade installs ends the roll before it begins, with the command', () => {
    const newer = { pointer: { ...pointer, elasticsearchVersion: '9.5.3' } };
    const step = decideRoll(facts([node('a')], newer), 0);
    expect(step).toMatchObject({
      kind: 'done',
      outcome: {
        kind: 'blocked',
        because: expect.stringMatching(/a \(a\) runs 8.19.21: .*cluster upgrade --to 9.5.3$/),
      },
    });
    // A template that is behind an upgrade changes no node, and a node that was interrupted is finished.
    expect(decided(facts([node('a')], { pointer: { ...pointer, elasticsearchVersion: '8.18.8' } }))).toBe('a');
    expect(decided(facts([node('a', { report: { ...taken, state: 'taking' } })], newer))).toBe('a');
  });

  it('a cluster that is not green, and the record of another node, hold the next node up, and end the run after 15 minutes', () => {
    const nodes = [node('a'), node('b')];
    const yellow = { health: { status: 'yellow' } as ClusterHealth };
    expect(decided(facts(nodes, yellow))).toBe('waits: the cluster is yellow');
    expect(decided(facts(nodes, { ...yellow, blockedSince: 0 }), 15 * 60_000)).toBe('blocked 0/2');
    expect(decided(facts(nodes, { records: [record('node-b', 'upgrade [in place]')] }))).toMatch(
      /^waits: node node-b has a shutdown record/,
    );
    expect(decided(facts(nodes, { records: [record('node-a', 'software [in place]')] }))).toBe('a');
  });

  it.each([
    ['runs', { state: 'running' }, undefined, 'waits: a takes 0.3.0'],
    ['ended and was reported', { state: 'succeeded' }, taken, 'b'],
    [
      'ended, but EC2 does not show its tag yet',
      { state: 'succeeded' },
      undefined,
      'waits: a (a) has not reported yet',
    ],
    ['failed with a report', { state: 'failed' }, { ...taken, state: 'failed' }, 'stopped 0/2'],
    ['failed before it changed anything', { state: 'failed' }, undefined, 'blocked 0/2'],
  ] as const)('a command that %s', (_what, state, report, expected) => {
    const nodes = [node('a', { report }), node('b')];
    expect(decided(facts(nodes, { sent: { instanceId: 'a', output: 'why', ...state } }))).toBe(expected);
  });

  it('a node whose instance went away during its command does not end the roll', () => {
    expect(decided(facts([node('b')], { sent: { instanceId: 'a', state: 'failed', output: '' } }))).toBe('b');
  });
});

describe('the pointer to the software of search nodes', () => {
  const [old, next] = [{ ...software, digest: 'old' }, software];

  it('keeps the one before, and one that goes back keeps none, so that a second call does not go forward again', () => {
    const first = pointTo(undefined, old);
    const second = pointTo(first, next);
    expect([first, second]).toEqual([
      { ...old, proven: true },
      { ...next, proven: false, before: old },
    ]);
    expect(pointTo(second, old)).toEqual({ ...old, proven: true });
  });

  it('an instance that is launched takes the last software that every node has had, however often a deployment follows', () => {
    const third = { ...software, digest: 'third' };
    const unproven = pointTo(pointTo(pointTo(undefined, old), next), third);
    expect([unproven.digest, unproven.before, lastProven(unproven)]).toEqual(['third', old, old]);
    const proven = { ...unproven, proven: true };
    expect([lastProven(proven), pointTo(proven, next).before]).toEqual([third, third]);
  });

  it('another version of Elasticsearch is noted, and is no other software', () => {
    const current = pointTo(pointTo(undefined, old), next);
    expect(pointTo(current, { ...next, elasticsearchVersion: '9.5.3' })).toEqual({
      ...current,
      elasticsearchVersion: '9.5.3',
    });
  });

  it('stays the same for the same software', () => {
    const current = pointTo(pointTo(undefined, old), next);
    expect(pointTo(current, next)).toBe(current);
  });

  it('a report is read as it was written, and cut to what a tag holds', () => {
    expect(reportIn(reportText(taken))).toEqual(taken);
    const failed = { digest: 'new', state: 'failed', because: `a\nb ${'x'.repeat(300)}` } as const;
    expect(reportText(failed)).toHaveLength(256);
    expect(reportIn(reportText(failed))).toMatchObject({ state: 'failed', because: expect.stringMatching(/^a b x+$/) });
    expect(reportIn('anything')).toBeUndefined();
  });
});
