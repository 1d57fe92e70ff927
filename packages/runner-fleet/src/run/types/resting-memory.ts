import { awake } from '../../decide/types/decide-rest.ts';
import type { Memory, TypeSignal } from '../../model/memory.ts';
import type { FleetMemory } from '../../ports.ts';

/** The memory of the default type, and how this process last read or wrote it. */
interface SharedMemory extends FleetMemory {
  readonly last: Memory | undefined;
}

export function sharedMemory(memory: FleetMemory): SharedMemory {
  let last: Memory | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const update = async (change: (state: Memory) => Memory) => {
    let next: Memory | undefined;
    await memory.update((state) => {
      next = change(state);
      return next;
    });
    last = next;
  };
  return {
    get last() {
      return last;
    },
    async read() {
      const before = last;
      const state = await memory.read();
      // A write in between is newer.
      if (last === before) last = state;
      return state;
    },
    // Types that wake together would lose races against each other.
    update(change) {
      const done = turn.then(() => update(change));
      turn = done.catch(() => {});
      return done;
    },
  };
}

/**
 * The memory of a type. While it rests a copy is in that of the default type, which every pass reads first: then its own object is not read.
 * Before it is written the copy is taken out; a function that dies between the two leaves the object, which holds the same.
 */
export function restingMemory(type: string, own: FleetMemory, shared: SharedMemory): FleetMemory {
  const signal = (): Partial<TypeSignal> => shared.last?.types?.[type] ?? {};
  return {
    read: async () => signal().resting ?? (await own.read()),
    async update(change) {
      const { restsSince, resting } = signal();
      if (restsSince !== undefined) await shared.update((state) => awake(state, type));
      // An object that was lost meanwhile is what rested.
      await own.update((state) => change(state.jobs === undefined ? { ...resting, ...state } : state));
    },
  };
}
