import { isDeepStrictEqual } from 'node:util';
import { jsonLogger, VirtualClock } from '@drover/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { emptyMemory, type Memory } from '../../model/memory.ts';
import type { FleetMemory } from '../../ports.ts';
import { openTypeWindow, takeLease } from '../jobs/take-lease.ts';
import { restingMemory, sharedMemory } from './resting-memory.ts';

const minute = 60_000;
const step = 5 * minute;
/** No function may run for longer. */
const longestRun = 10 * minute;

/** Waits, or fails, before a call reaches the store. */
type Reach = (call: string) => Promise<void>;

/** Objects that are written only if no other writer was faster, and the calls that reached them. */
class Store {
  readonly objects = new Map<string, { readonly state: Memory; readonly version: number }>();
  readonly calls: string[] = [];

  memory(key: string, reach: Reach): FleetMemory {
    const get = async () => {
      await reach(`get ${key}`);
      this.calls.push(`get ${key}`);
      return this.objects.get(key) ?? { state: emptyMemory, version: 0 };
    };
    let known: Awaited<ReturnType<typeof get>> | undefined;
    return {
      read: async () => {
        known = await get();
        return known.state;
      },
      update: async (change) => {
        for (;;) {
          known ??= await get();
          const { state, version } = known;
          const next = { state: change(state), version: version + 1 };
          await reach(`put ${key}`);
          this.calls.push(`put ${key}`);
          known = (this.objects.get(key)?.version ?? 0) === version ? next : undefined;
          if (known === undefined) continue;
          this.objects.set(key, known);
          return;
        }
      },
    };
  }

  /** A process of a function. */
  process(reach: Reach = async () => {}) {
    const shared = sharedMemory(this.memory('fleet', reach));
    return { shared, large: restingMemory('large', this.memory('large', reach), shared) };
  }

  /** The memory of the type as a pass that begins now reads it, and as it is stored. */
  async seen() {
    const { shared, large } = this.process();
    await shared.read();
    return {
      read: withoutNotes(await large.read()),
      stored: withoutNotes(this.objects.get('large')?.state ?? emptyMemory),
    };
  }
}

const withoutNotes = ({ jobs: { jobs: _, ...jobs } = {}, ...state }: Memory) => ({ ...state, jobs });

class Died extends Error {}

describe('the memory of a type at rest', () => {
  let clock: VirtualClock;
  let store: Store;
  const notes = { 1: { repository: 'shop', name: 'build' } };

  beforeEach(() => {
    clock = new VirtualClock();
    store = new Store();
    store.objects.set('large', { state: { ...emptyMemory, jobs: { sessionId: 'one', jobs: notes } }, version: 1 });
  });

  const openWindow = async ({ shared, large }: ReturnType<Store['process']>) => {
    const log = jsonLogger({ clock, write: () => {} });
    const lease = (await takeLease({ clock, log, memory: shared }, clock.now() + 50_000))!;
    const type = await openTypeWindow({ clock, memory: large }, lease.until, lease.types?.large ?? { since: 1 });
    const close = async (quiet: boolean) => {
      type.quiet = quiet;
      await lease.close({ large: { ...type.signal, resting: type.resting } });
    };
    return { type, close };
  };
  /** A window that finds the type quiet. */
  const quietWindow = async (reach?: Reach) => (await openWindow(store.process(reach))).close(true);
  const rest = async () => {
    for (let at = 0; at <= 20; at += 5) {
      await quietWindow();
      clock.skip(step);
    }
    store.calls.length = 0;
  };

  it('a quarter of an hour after its first quiet window no function reads the object of a type', async () => {
    await rest();
    await quietWindow();
    const { read } = await store.seen();

    expect(store.calls).toEqual(['get fleet', 'put fleet', 'put fleet', 'get fleet']);
    expect(read).toMatchObject({ jobs: { sessionId: 'one' } });
    expect(JSON.stringify(store.objects.get('fleet'))).not.toContain('shop');
  });

  it('a write takes the copy out first; a death between the two leaves the object, which is read again', async () => {
    await rest();
    const dying = store.process(async (call) => {
      if (call === 'put large') throw new Died();
    });
    await dying.shared.read();

    await expect(dying.large.update((state) => ({ ...state, lastAbandonAt: 7 }))).rejects.toThrow(Died);
    expect(store.calls).toEqual(['get fleet', 'put fleet', 'get large']);
    expect(await store.seen()).toMatchObject({ read: { jobs: { sessionId: 'one' } } });
    expect(store.calls.slice(-2)).toEqual(['get fleet', 'get large']);
  });

  it('what a function writes of a type at rest is read from then on, and rests after another quarter of an hour', async () => {
    await rest();
    const writer = store.process();
    await writer.shared.read();
    await writer.large.update((state) => ({ ...state, lastAbandonAt: 7 }));
    expect(await writer.large.read()).toMatchObject({ lastAbandonAt: 7 });
    await rest();
    store.objects.delete('large');

    expect((await store.seen()).read).toMatchObject({ lastAbandonAt: 7 });
  });

  it('a message wakes the window of a type, which then has the notes of its jobs', async () => {
    await rest();
    const { type, close } = await openWindow(store.process());
    expect(type.jobs).not.toHaveProperty('jobs');
    await type.wake();
    await type.wake();
    expect(type.jobs).toMatchObject({ jobs: notes });
    await close(false);

    expect(store.calls).toEqual(['get fleet', 'put fleet', 'put fleet', 'get large', 'put large', 'put fleet']);
    expect(store.objects.get('fleet')?.state.types?.large?.resting).toBeUndefined();
  });

  it('an object that was lost while it rested is written again from the copy', async () => {
    await rest();
    store.objects.delete('large');
    const { type } = await openWindow(store.process());
    await type.remember({ notTaken: 1 });

    expect(store.objects.get('large')?.state.jobs).toMatchObject({ sessionId: 'one', notTaken: 1 });
  });

  it('twenty types that wake in one moment do not lose races against each other', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `type-${at}`);
    const types = Object.fromEntries(names.map((name) => [name, { since: 1, restsSince: 1, resting: emptyMemory }]));
    store.objects.set('fleet', { state: { ...emptyMemory, types }, version: 1 });
    const shared = sharedMemory(store.memory('fleet', async () => {}));
    await shared.read();
    store.calls.length = 0;
    await Promise.all(
      names.map((name) =>
        restingMemory(
          name,
          store.memory(name, async () => {}),
          shared,
        ).update((state) => ({ ...state, sweptAt: 1 })),
      ),
    );

    expect(store.calls.filter((call) => call.endsWith('fleet'))).toEqual(names.map(() => 'put fleet'));
  });

  /** Plays half an hour of windows while `before` is done before each of their calls; returns when each call was made. */
  const playWindows = async (before: (call: number) => Promise<void>): Promise<number[]> => {
    const at: number[] = [];
    for (let window = 0; window < 5; window++) {
      await quietWindow(async () => {
        at.push(clock.now());
        await before(at.length - 1);
      });
      clock.skip(step);
    }
    return at;
  };

  it('whenever a function reads, takes the copy out and writes, or dies between, no pass reads what is older than the object', async () => {
    const times = await playWindows(async () => {});
    let played = 0;
    const wrong: string[] = [];
    for (let reads = 0; reads < times.length; reads++)
      for (let clears = reads; clears < times.length; clears++)
        for (let writes = clears; writes < times.length; writes++) {
          if (times[writes]! - times[reads]! > longestRun) continue;
          clock = new VirtualClock();
          store = new Store();
          const { call, finish } = writer(store, { reads, clears, writes });
          await playWindows(async (nth) => {
            await call(nth);
            const { read, stored } = await store.seen();
            if (!isDeepStrictEqual(read, stored)) wrong.push(`${reads} ${clears} ${writes} before ${nth}`);
          });
          await finish();
          played++;
        }

    expect(played).toBeGreaterThan(500);
    expect(wrong).toEqual([]);
  }, 600_000);

  it('whichever call of a window is its last, no pass reads what is older than the object', async () => {
    const calls = (await playWindows(async () => {})).length;
    for (let last = 0; last < calls; last++) {
      clock = new VirtualClock();
      store = new Store();
      const dying = playWindows(async (nth) => {
        if (nth >= last) throw new Died();
      });
      await dying.catch(() => {});
      clock.skip(step);
      await quietWindow();
      const { read, stored } = await store.seen();
      expect(read).toEqual(stored);
    }
  });
});

/** A function that reads before one call of the windows, takes the copy out before another, and writes before a third. */
function writer(store: Store, at: { readonly reads: number; readonly clears: number; readonly writes: number }) {
  const gates = new Map<string, () => void>();
  const opened = new Set<string>();
  const { shared, large } = store.process(async (call) => {
    const gate = call === 'put fleet' ? 'clears' : call.endsWith('large') ? 'writes' : undefined;
    if (gate !== undefined && !opened.has(gate)) await new Promise<void>((open) => gates.set(gate, open));
  });
  let done: Promise<void> | undefined;
  const open = async (gate: 'clears' | 'writes') => {
    opened.add(gate);
    gates.get(gate)?.();
    await settled();
  };
  return {
    async call(nth: number) {
      if (nth === at.reads) {
        await shared.read();
        done = large.update((state) => ({ ...state, lastAbandonAt: 7 }));
        await settled();
      }
      if (nth === at.clears) await open('clears');
      if (nth === at.writes) await open('writes');
    },
    finish: async () => await done,
  };
}

/** Everything that waits for nothing else is done. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
