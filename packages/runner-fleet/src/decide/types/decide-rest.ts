import type { Memory, TypeSignal, TypeSignals } from '../../model/memory.ts';

/** Longer than any function may run: what began before a rest was announced has written by then. */
export const restAfterMs = 15 * 60_000;

/**
 * News of the types as they are written at the end of a window, whose `resting` is what it found when it opened, if the type was quiet at its end.
 * If the announcement is still the one that the window found, no other writer has changed the type's memory since: it is copied. Pure.
 */
export const settleRest = (types: TypeSignals, stored: TypeSignals | undefined, now: number): TypeSignals =>
  eachSignal(types, (signal, name) => {
    const { restsSince, resting } = signal;
    if (resting === undefined || signal.missingSince !== undefined) return { ...signal, ...awakened };
    const since = stored?.[name]?.restsSince ?? now;
    const rests = since === restsSince && now - since >= restAfterMs;
    return { ...signal, restsSince: since, resting: rests ? resting : undefined };
  });

/** The memory of the default type when that of another is about to be written: its object is the truth again. Pure. */
export const awake = (state: Memory, type: string): Memory => ({
  ...state,
  types: eachSignal(state.types, (signal, name) => (name === type ? { ...signal, ...awakened } : signal)),
});

const awakened = { restsSince: undefined, resting: undefined };

/** Changes the news of each type. */
export const eachSignal = (
  types: TypeSignals | undefined,
  change: (signal: TypeSignal, name: string) => TypeSignal,
): TypeSignals => Object.fromEntries(Object.entries(types ?? {}).map(([name, signal]) => [name, change(signal, name)]));
