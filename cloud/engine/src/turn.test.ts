import { VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';
import { turnOf } from './turn.ts';

it('turnOf waits until all that the moment has begun is done, however many ticks it takes, and no time passes', async () => {
  const clock = new VirtualClock(1_000);
  const seen: string[] = [];
  const elsewhere = async () => {
    for (let tick = 0; tick < 100; tick++) await undefined;
    seen.push('elsewhere');
  };
  clock.after(500, () => {
    void elsewhere();
    void turnOf(clock).then(() => seen.push(`responded at ${clock.now()}`));
  });

  await clock.advance(500);

  expect(seen).toEqual(['elsewhere', 'responded at 1500']);
});
