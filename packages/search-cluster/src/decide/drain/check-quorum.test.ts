import { describe, expect, it } from 'vitest';
import { dataNodes, masters, record, topology, voting, without } from '../facts.test-support.ts';
import { checkQuorum } from './check-quorum.ts';

const more = ['m4', 'm5'].map((id) => ({ id, name: id, ip: id, roles: ['master'] }));

describe('whether the masters still elect when a node has gone', () => {
  it.each([
    ['a data node never matters', 'd1', without('m2', 'm3'), [], voting(), 'survives'],
    ['one of three masters may go', 'm1', topology(), [], voting(), 'survives'],
    ['not when another one is missing', 'm1', without('m3'), [], voting(), 'quorum-at-risk'],
    ['not when another one is leaving', 'm1', topology(), [record('m2')], voting(), 'quorum-at-risk'],
    [
      'a drain that was given up counts as leaving',
      'm1',
      topology(),
      [record('m2', { reason: 'x [gave up: stalled]' })],
      voting(),
      'quorum-at-risk',
    ],
    ['a master that has no vote may go', 'm1', topology(), [], voting({ committed: ['m2'] }), 'survives'],
    [
      'the last master never goes',
      'm1',
      topology([masters[0]!, ...dataNodes]),
      [],
      voting({ committed: ['m1'] }),
      'last-master',
    ],
    ['of two masters the voting one', 'm1', without('m3'), [], voting({ committed: ['m1'] }), 'exclude-first'],
    ['of two masters the one without vote', 'm2', without('m3'), [], voting({ committed: ['m1'] }), 'survives'],
    [
      'of five masters two that leave at once are fine',
      'm1',
      topology([...masters, ...more]),
      [record('m2')],
      voting({ committed: ['m1', 'm2', 'm3', 'm4', 'm5'] }),
      'survives',
    ],
  ])('%s', (_title, nodeId, nodes, records, votes, expected) => {
    const verdict = checkQuorum({ nodeId, topology: nodes, records, voting: votes });

    expect(verdict.kind === 'refusal' ? verdict.name : verdict.kind).toBe(expected);
  });

  const all = topology([...masters, ...more]);
  const voters = (count: number) => voting({ committed: ['m1', 'm2', 'm3', 'm4', 'm5'].slice(0, count) });

  it.each([
    ['1 of 2 voters remains: half is no majority', 2, [], 'exclude-first'],
    ['2 of 3 voters remain', 3, [], 'survives'],
    ['1 of 3 voters remains', 3, ['m2'], 'quorum-at-risk'],
    ['3 of 4 voters remain', 4, [], 'survives'],
    ['2 of 4 voters remain: half is no majority', 4, ['m2'], 'quorum-at-risk'],
    ['1 of 4 voters remains', 4, ['m2', 'm3'], 'quorum-at-risk'],
    ['3 of 5 voters remain', 5, ['m2'], 'survives'],
    ['2 of 5 voters remain', 5, ['m2', 'm3'], 'quorum-at-risk'],
  ])('master m1 leaves and %s', (_title, count, leaving, expected) => {
    const records = leaving.map((id) => record(id));
    const verdict = checkQuorum({ nodeId: 'm1', topology: all, records, voting: voters(count) });

    expect(verdict.kind === 'refusal' ? verdict.name : verdict.kind).toBe(expected);
  });

  it('a voter that is absent counts as lost: of 4 voters 2 remain when one leaves and one is missing', () => {
    const verdict = checkQuorum({
      nodeId: 'm1',
      topology: topology(all.nodes.filter(({ id }) => id !== 'm4')),
      records: [],
      voting: voters(4),
    });

    expect(verdict).toMatchObject({ name: 'quorum-at-risk', reason: expect.stringContaining('only 2 of 4') });
  });

  it('[rule 25] refuses to lose half of the masters at once, naming the count', () => {
    const verdict = checkQuorum({ nodeId: 'm1', topology: without('m3'), records: [], voting: voting() });

    expect(verdict).toMatchObject({ kind: 'refusal', reason: expect.stringContaining('only 1 of 3 voting masters') });
  });
});
