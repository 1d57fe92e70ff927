import { SeededRandom, VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import type { DroverIo } from '../io.ts';
import { again } from './watch.ts';

describe('--watch', () => {
  it('--watch refreshes every N seconds, and Ctrl-C ends it with the last exit code', async () => {
    const clock = new VirtualClock(0);
    const stop = new AbortController();
    const printed: string[] = [];
    const unused = () => Promise.reject(new Error('unused'));
    const io: DroverIo = {
      stdout: (text) => void printed.push(text),
      stderr: () => {},
      env: {},
      clock,
      random: new SeededRandom('watch'),
      fetch: unused,
      signal: stop.signal,
      aws: unused,
      terminal: { colour: true },
    };
    const run = async ({ stdout }: DroverIo) => {
      stdout(`at ${clock.now()}`);
      return clock.now() > 5_000 ? 1 : 0;
    };
    const over = again(io, { watch: 5 }, run);
    await clock.advance(10_000);
    stop.abort();
    expect(await over).toBe(1);
    expect(printed).toEqual(['at 0', 'at 5000', 'at 10000'].map((text) => `\u001b[H\u001b[2J${text}`));
    expect(await again(io, {}, run)).toBe(1);
  });
});
