import { describe, expect, it } from 'vitest';
import type { LostBy } from '../api.ts';
import type { FleetEvent } from './events.ts';
import { addEvent, closeStory, openStory } from './incident.ts';

const opened = openStory({ id: 1, kind: 'fault', title: 'A zone is lost.', openedAt: 0 });
const lost = (job: number, by?: LostBy): FleetEvent => ({
  at: job,
  kind: 'job-lost',
  job,
  by,
  why: 'its process ended',
});
const ended = (events: readonly FleetEvent[], bad?: boolean) =>
  closeStory(events.reduce(addEvent, opened), { endedAt: 9, sentences: ['It is over.'], bad }).verdict.state;

describe('the verdict of an incident', () => {
  it.each<[string, readonly FleetEvent[], boolean | undefined, string]>([
    ['in which nothing was lost is well', [], undefined, 'good'],
    ['in which hardware lost a job is as well as can be', [lost(1, 'by hardware')], undefined, 'fair'],
    ['in which we lost one job of two is badly', [lost(1, 'by hardware'), lost(2, 'by us')], undefined, 'bad'],
    ['in which no other cause of a lost job is known is badly', [lost(1)], undefined, 'bad'],
    ['whose act failed is badly', [], true, 'bad'],
  ])('%s', (_, events, bad, state) => {
    expect(ended(events, bad)).toBe(state);
  });
});

it('a step of an incident that was noticed late has its place by the time at which it happened', () => {
  const events: readonly FleetEvent[] = [
    { at: 5, kind: 'in-service', instance: 'i-2' },
    { at: 2, kind: 'job-lost', job: 1, instance: 'i-1' },
  ];
  expect(events.reduce(addEvent, opened).incident.steps.map(({ kind }) => kind)).toEqual(['job-lost', 'in-service']);
});

it('a long incident keeps its beginning, its end and what its figures are made of', () => {
  const events = Array.from(
    { length: 400 },
    (_, index): FleetEvent => ({
      at: index,
      kind: index === 100 ? 'job-lost' : 'online',
      job: index === 100 ? 7 : undefined,
      instance: `i-${index}`,
    }),
  );
  const { steps } = events.reduce(addEvent, opened).incident;
  expect(steps).toHaveLength(120);
  expect([steps[0]!.at, steps.some(({ kind }) => kind === 'job-lost'), steps.at(-1)!.at]).toEqual([0, true, 399]);
});
