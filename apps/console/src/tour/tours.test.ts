import type { Observation } from '@drover/observation/api';
import { expect, it } from 'vitest';
import { tours } from './tours.ts';

const minute = 60_000;

const seen = (health: string, fault: 'open' | 'ended', busy: number) =>
  ({
    cluster: { health },
    fleet: { instances: Array.from({ length: busy }, () => ({ runner: 'busy' })) },
    incidents: [{ kind: 'fault', endedAt: fault === 'ended' ? 1 : undefined }],
    zones: [{ name: 'eu-west-1a', lost: false }],
  }) as unknown as Observation;

it.each(tours.flatMap(({ title, legs }) => legs.map((leg) => [title, leg] as const)))(
  'each part of the tour "%s" ends by itself, whatever comes of it: $1.say',
  (_, { isOver }) => {
    expect(isOver(seen('yellow', 'open', 0), 0)).toBe(false);
    expect(isOver(seen('yellow', 'open', 0), 91 * minute)).toBe(true);
  },
);

it('the tour of a zone loss is slow when the zone goes, and waits for green and for the verdict', () => {
  const [work, loss, repair, back] = tours[0]!.legs;
  expect(work!.isOver(seen('green', 'ended', 3), minute)).toBe(true);
  expect(loss!.act!(seen('green', 'ended', 3))).toEqual(['lose-zone', { zone: 'eu-west-1a', lost: true }]);
  expect(loss!.speed).toBeLessThan(repair!.speed);
  expect(repair!.isOver(seen('yellow', 'open', 3), 20 * minute)).toBe(false);
  expect(repair!.isOver(seen('green', 'open', 3), 20 * minute)).toBe(true);
  expect(back!.isOver(seen('green', 'open', 3), 20 * minute)).toBe(false);
  expect(back!.isOver(seen('green', 'ended', 3), 20 * minute)).toBe(true);
});

it('each tour gives back what it takes away', () => {
  const state = seen('green', 'ended', 3);
  for (const { legs } of tours) {
    const acts = legs.flatMap(({ act }) => (act === undefined ? [] : [JSON.stringify(act(state))]));
    expect(acts.some((act) => /"lost":true|"on":true/.test(act))).toBe(true);
    expect(acts.at(-1)).toMatch(/"lost":false|"on":false/);
  }
});
