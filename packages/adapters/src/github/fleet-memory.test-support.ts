import { emptyMemory, type FleetMemory, type Memory } from '@drover/runner-fleet';

/** A fleet memory in this process, with what was written. */
export function heldMemory(initial: Partial<Memory> = {}): FleetMemory & { readonly state: Memory } {
  let state: Memory = { ...emptyMemory, ...initial };
  return {
    get state() {
      return state;
    },
    read: async () => state,
    update: async (change) => {
      state = change(state);
    },
  };
}
