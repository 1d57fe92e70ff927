import { VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';
import { Pace } from './pace.ts';

it('what waits for the end of a step of the pace comes after every timer of the step', async () => {
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
    waited = pace.betweenSteps().then(() => void seen.push(`input at ${clock.now()}`));
  });
  for (const at of [1_000, 2_000]) clock.after(at, () => seen.push(`timer at ${at}`));
  const stepped = new Promise<void>((resolve) => {
    pace.onStep = resolve;
  });

  pace.start();
  await stepped;
  await waited;
  await pace.stop();

  expect(seen).toEqual(['timer at 1000', 'timer at 2000', 'input at 3000']);
});
