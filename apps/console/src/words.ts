/** A moment of the simulated clock. */
export const clockTime = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

export const timeOfDay = (at: number): string => new Date(at).toISOString().slice(11, 19);

/** `12 min`, `3 h 05 min`. */
export function span(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
