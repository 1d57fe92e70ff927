import type { Incident, IncidentStep } from '@drover/observation/api';
import { describe, expect, it } from 'vitest';
import { figuresOf, notGreenSince } from './figures.ts';
import { groupedSteps } from './grouped-steps.ts';

const step = (at: number, kind: string, more: Partial<IncidentStep> = {}): IncidentStep => ({
  at: at * 1_000,
  kind,
  text: kind,
  bad: false,
  about: undefined,
  ...more,
});
const incident = (steps: readonly IncidentStep[], endedAt?: number): Incident => ({
  id: 1,
  kind: 'fault',
  title: 'Zone eu-west-1a is lost with 6 instances.',
  openedAt: 0,
  steps,
  verdict: { state: 'open', text: '' },
  endedAt: endedAt === undefined ? undefined : endedAt * 1_000,
});
const of = (kind: string, at: number, ...ids: string[]) =>
  ids.map((id) => step(at, kind, { about: `instance/${id}`, text: `${id} ${kind}: host failure` }));

describe('the figures of an incident', () => {
  const zone = [
    ...of('machine-failed', 0, 'i-1', 'i-2'),
    step(10, 'cluster-yellow'),
    step(20, 'cluster-red'),
    step(25, 'cluster-yellow'),
    ...of('terminating', 40, 'i-1'),
    step(30, 'job-lost', { by: 'by hardware' }),
    step(31, 'job-lost', { by: 'by hardware' }),
    step(32, 'job-lost'),
    step(275, 'cluster-green'),
    ...of('in-service', 300, 'i-3'),
  ];

  it.each<[string, Incident, number, readonly string[]]>([
    ['nothing lost', incident([]), 0, ['no job lost']],
    ['one job', incident([step(1, 'job-lost', { by: 'by GitHub' })]), 0, ['job lost: 1 by GitHub']],
    [
      'jobs by whom they were lost, each colour, and what is not replaced yet',
      incident(zone),
      400,
      ['jobs lost: 2 by hardware, 1 by us', 'yellow for 4 min 20 s, red for 5 s', '1 of 2 replaced'],
    ],
    [
      'when the last of those that had gone was replaced',
      incident([...zone, ...of('in-service', 533, 'i-4')], 600),
      9_999,
      ['jobs lost: 2 by hardware, 1 by us', 'yellow for 4 min 20 s, red for 5 s', 'capacity back after 8 min 53 s'],
    ],
    ['a colour that lasts', incident([step(10, 'cluster-none')]), 3_790, ['no job lost', 'no master for 1 h 3 min']],
  ])('%s', (_, one, now, figures) => {
    expect(figuresOf(one, now * 1_000)).toEqual(figures);
  });

  it('the sentence and the figures of an incident are at most 240 characters', () => {
    const worst = incident([...zone, ...of('in-service', 533, 'i-4')], 600);
    expect([worst.title, ...figuresOf(worst, 0)].join(' ').length).toBeLessThanOrEqual(240);
  });
});

it('steps of one kind in one second are one line with each of their subjects', () => {
  const steps = [...of('machine-failed', 0, 'i-1', 'i-2'), step(0.5, 'cluster-none'), ...of('in-service', 9, 'i-3')];
  expect(groupedSteps(steps).map(({ text, members }) => [text, members.map(({ about }) => about)])).toEqual([
    ['2 machines failed: host failure', ['instance/i-1', 'instance/i-2']],
    ['cluster-none', [undefined]],
    ['i-3 in-service: host failure', ['instance/i-3']],
  ]);
});

describe('the colour of the cluster', () => {
  it.each<[string, readonly (readonly IncidentStep[])[], number | undefined]>([
    ['nothing changed its colour', [[step(5, 'in-service')]], undefined],
    ['it turned yellow and then red', [[step(10, 'cluster-yellow'), step(20, 'cluster-red')]], 10_000],
    ['it is green again', [[step(10, 'cluster-yellow'), step(30, 'cluster-green')]], undefined],
    [
      'a second incident turned it yellow after it was green',
      [[step(50, 'cluster-yellow')], [step(10, 'cluster-red'), step(30, 'cluster-green'), step(50, 'cluster-yellow')]],
      50_000,
    ],
  ])('the cluster is not green since the first change of colour after it was green: %s', (_, stories, since) => {
    expect(notGreenSince(stories.map((steps) => incident(steps)))).toBe(since);
  });
});
