import { VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { virtualDate } from './globals.ts';
import { programClock } from './program-clock.ts';
import { virtualTimers } from './timers.ts';

describe('programClock', () => {
  it.each([0, 0.4, 1, 49.9, 1_000])(
    'programClock waits %s ms as setTimeout of a bundle does, and has the same time, also between two milliseconds',
    async (delayMs) => {
      const clock = new VirtualClock(1_000.75);
      const program = programClock(clock);
      const { setTimeout } = virtualTimers(clock).functions;
      const seen: [who: string, at: number, now: number][] = [];
      setTimeout(() => seen.push(['bundle', clock.now(), virtualDate(clock).now()]), delayMs);
      program.after(delayMs, () => seen.push(['source', clock.now(), program.now()]));
      void program.sleep(delayMs).then(() => seen.push(['source asleep', clock.now(), program.now()]));

      await clock.advance(2_000);

      const [first, ...others] = seen.map(([, ...times]) => times);
      expect(seen.map(([who]) => who)).toEqual(['bundle', 'source', 'source asleep']);
      expect(others).toEqual([first, first]);
    },
  );
});
