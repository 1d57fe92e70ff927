import { expect, it } from 'vitest';
import { SeededRandom, VirtualClock } from './index.ts';

it('fires timers in the order of their time while the clock is advanced', async () => {
  const clock = new VirtualClock(0);
  const seen: string[] = [];
  void clock.sleep(2000).then(() => seen.push(`b${clock.now()}`));
  void clock.sleep(1000).then(async () => {
    seen.push(`a${clock.now()}`);
    await clock.sleep(500);
    seen.push(`c${clock.now()}`);
  });

  await clock.advance(3000);

  expect(seen).toEqual(['a1000', 'c1500', 'b2000']);
  expect(clock.now()).toBe(3000);
});

it('draws the same sequence from the same seed and another one from a fork', () => {
  const draw = (random: SeededRandom) => [random.next(), random.int(1, 6), random.uuid()];

  expect(draw(new SeededRandom('s'))).toEqual(draw(new SeededRandom('s')));
  expect(draw(new SeededRandom('s').fork('x') as SeededRandom)).not.toEqual(draw(new SeededRandom('s')));
});
