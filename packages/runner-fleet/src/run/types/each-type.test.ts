import { jsonLogger, TerminalError, TransientError, VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { eachType } from './each-type.ts';

const log = jsonLogger({ clock: new VirtualClock(), write: () => {} });

describe('the passes of several types', () => {
  it('a type that fails keeps no other from its pass, and the error names it', async () => {
    const done: string[] = [];
    const passes = eachType(log, [
      { type: 'default', run: async () => void done.push('default') },
      { type: 'large', run: () => Promise.reject(new TransientError('no response')) },
      { type: 'arm', run: async () => void done.push('arm') },
    ]);

    await expect(passes).rejects.toThrow('type large: no response');
    await expect(passes).rejects.toBeInstanceOf(TransientError);
    expect(done).toEqual(['default', 'arm']);
  });

  it('one failure that trying again does not mend makes the error terminal, with its remedy', async () => {
    const passes = eachType(log, [
      { type: 'large', run: () => Promise.reject(new TransientError('no response')) },
      { type: 'arm', run: () => Promise.reject(new TerminalError('refused', { remedy: 'ask' })) },
    ]);

    await expect(passes).rejects.toBeInstanceOf(TerminalError);
    await expect(passes).rejects.toMatchObject({
      message: 'type large: no response; type arm: refused',
      remedy: 'ask',
    });
  });
});
