import { VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';
import { Pace } from './pace.ts';

it('what comes from outside during a step waits for every timer of the step, and for what came before it', async () => {
  const clock = new VirtualClock(0);
  let realNow = 0;
  const realSleep = async () => {
    realNow += 50;
    await new Promise((resolve) => setImmediate(resolve));
  };
  const pace = new Pace(clock, { speed: 60, realNow: () => realNow, realSleep });
  const seen: string[] = [];
  let waited = Promise.resolve();
  clock.after(1_000, () => {
    void pace.inTurn(async () => {
      for (let tick = 0; tick < 5; tick++) await null;
      seen.push(`slow input at ${clock.now()}`);
    });
    waited = pace.inTurn(async () => void seen.push(`quick input at ${clock.now()}`));
  });
  for (const at of [1_000, 2_000]) clock.after(at, () => seen.push(`timer at ${at}`));
  const stepped = new Promise<void>((resolve) => {
    pace.onStep = resolve;
  });

  pace.start();
  await stepped;
  await waited;
  await pace.stop();

  expect(seen).toEqual(['timer at 1000', 'timer at 2000', 'slow input at 3000', 'quick input at 3000']);
});
