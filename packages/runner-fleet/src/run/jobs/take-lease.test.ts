import { jsonLogger, VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { emptyMemory, type Memory } from '../../model/memory.ts';
import { openTypeWindow, takeLease } from './take-lease.ts';

/** A memory in this process that counts its writes. */
function memoryOf(state: Memory = emptyMemory) {
  const kept = { state, writes: 0 };
  const memory = {
    read: async () => kept.state,
    update: async (change: (state: Memory) => Memory) => {
      kept.state = change(kept.state);
      kept.writes += 1;
    },
  };
  return { kept, memory };
}

const clock = new VirtualClock();
const log = jsonLogger({ clock, write: () => {} });
const statistics = { available: 0, assigned: 0, running: 0, registered: 0, busy: 0, idle: 0 };

describe('the window of a type', () => {
  it('a window that learns nothing new of a type writes nothing, and its news goes with the lease', async () => {
    const { kept, memory } = memoryOf({ ...emptyMemory, jobs: { statistics, statisticsAt: 1, hosts: {} } });
    const window = await openTypeWindow({ clock, memory }, 100, { since: 1 });
    await window.remember({ statistics, statisticsAt: 50, hosts: {} });
    window.looked(51);

    expect(kept.writes).toBe(0);
    expect(window.jobs).toMatchObject({ statisticsAt: 50, lookedAt: 51 });
    expect(window.signal).toEqual({ since: 1, statisticsAt: 50, lookedAt: 51 });
  });

  it('a change is written with the number of the window', async () => {
    const { kept, memory } = memoryOf();
    const window = await openTypeWindow({ clock, memory }, 100, { since: 1 });
    await window.remember({ notTaken: 2 });

    expect(kept.state.jobs).toEqual({ notTaken: 2, lease: { until: 100 } });
  });

  it('a window whose lease was lost writes nothing over the notes of a later one', async () => {
    const { kept, memory } = memoryOf();
    const window = await openTypeWindow({ clock, memory }, 100, { since: 1 });
    const later = await openTypeWindow({ clock, memory }, 160, { since: 1 });
    await later.remember({ sessionId: 'new' });

    await expect(window.remember({ sessionId: 'old' })).rejects.toThrow('the lease of this window was lost');
    expect(kept.state.jobs).toMatchObject({ sessionId: 'new' });
  });

  it('the news of the types is written when the lease is given back, and forgotten with the last type', async () => {
    const { kept, memory } = memoryOf();
    const window = await takeLease({ clock, log, memory }, clock.now() + 50_000);
    await window!.close({ large: { since: 1 } });
    expect(kept.state).toMatchObject({ types: { large: { since: 1 } } });
    expect(kept.state.jobs?.lease).toBeUndefined();

    const next = await takeLease({ clock, log, memory }, clock.now() + 50_000);
    expect(next!.types).toEqual({ large: { since: 1 } });
    await next!.close({});
    expect(kept.state).not.toHaveProperty('types');
  });
});
