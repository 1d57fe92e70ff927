import type { Finding } from '@drover/operator/doctor/findings';
import { describe, expect, it } from 'vitest';
import { disagreements } from './disagreements.ts';

const said = (check: string, verdict: Finding['verdict'], evidence = 'evidence'): Finding => ({
  check,
  topic: check,
  condition: check,
  verdict,
  evidence,
});
const fine = said('bakes', 'ok');
const ofType = said('bakes', 'problem', 'type large: the trial failed');

describe('the command and the facts of the world', () => {
  it.each<[string, readonly Finding[], readonly Finding[]]>([
    ['agree when both call a check well', [fine], [said('bakes', 'notice')]],
    ['agree when one type of the fleet has a problem, and the default type has none', [fine, ofType], [fine, ofType]],
    ['agree when both cannot examine a check, or call it a problem', [said('bakes', 'unknown')], [ofType]],
  ])('%s', (_, real, ofWorld) => {
    expect(disagreements('fleet', real, ofWorld)).toEqual([]);
  });

  it('disagree when only one of them says that a type has a problem, and its evidence is shown', () => {
    const words = 'drover fleet doctor says';
    expect(disagreements('fleet', [fine], [fine, ofType])).toEqual([
      `${words} ok of bakes (evidence), and on the facts of the world problem of bakes (type large: the trial failed)`,
    ]);
    expect(disagreements('fleet', [fine, ofType], [fine])).toEqual([
      `${words} problem of bakes (type large: the trial failed), and on the facts of the world ok of bakes (evidence)`,
    ]);
  });
});
