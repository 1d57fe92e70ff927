import type { TypeSignal, TypeSignals } from '../../model/memory.ts';

/** A group that is missing in one reading may be there in the next; after this its type was removed. */
export const removedAfterMs = 5 * 60_000;

export interface NotedTypes {
  readonly types: TypeSignals;
  /** Types whose group is gone for good: what is left of them at the platform has to be closed. */
  readonly removed: readonly string[];
}

/** Compares the types that windows know with those whose groups exist. */
export function noteTypes(known: TypeSignals = {}, found: readonly string[], now: number): NotedTypes {
  const present = new Map(found.map((name) => [name, seen(known[name], now)]));
  const missing = Object.entries(known)
    .filter(([name]) => !present.has(name))
    .map(([name, signal]) => [name, { ...signal, missingSince: signal.missingSince ?? now }] as const);
  return {
    types: Object.fromEntries([...present, ...missing]),
    removed: missing.filter(([, { missingSince }]) => now - missingSince >= removedAfterMs).map(([name]) => name),
  };
}

function seen(signal: TypeSignal | undefined, now: number): TypeSignal {
  const { missingSince: _, ...rest } = signal ?? { since: now };
  return rest;
}
