import { VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { type LogLine, readLines } from './function-log.ts';

describe('logs --follow', () => {
  it('logs --follow shows each line once, also two of one moment that come apart, and ends with Ctrl-C', async () => {
    const clock = new VirtualClock(0);
    const stop = new AbortController();
    const log: LogLine[] = [];
    const read = async function* (since: number) {
      yield* log.filter(({ at }) => at >= since);
    };
    const shown: string[] = [];
    const following = (async () => {
      for await (const { text } of readLines({ clock, signal: stop.signal }, true, 0, read)) shown.push(text);
    })();
    const write = async (at: number, text: string) => {
      log.push({ at, stream: 's', text });
      await clock.advance(2_000);
    };
    await write(1_000, 'one');
    await write(3_000, 'two');
    await write(3_000, 'three');
    await write(9_000, 'four');
    stop.abort();
    await following;
    expect(shown).toEqual(['one', 'two', 'three', 'four']);
  });

  it('logs without --follow ends with the last line', async () => {
    const shown: string[] = [];
    const read = async function* () {
      yield { at: 1, stream: 's', text: 'one' };
    };
    const io = { clock: new VirtualClock(0), signal: new AbortController().signal };
    for await (const { text } of readLines(io, false, 0, read)) shown.push(text);
    expect(shown).toEqual(['one']);
  });
});
