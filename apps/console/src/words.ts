/** A moment of the simulated clock. */
export const clockTime = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

export const timeOfDay = (at: number): string => new Date(at).toISOString().slice(11, 19);

/** `40 s`, `12 min`, `3 h 05 min`, `15 d 12 h`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const tenths = (value: number): number => Math.round(value * 10) / 10;

/** Seconds of a wait: `45 s`, `2 min`, `12.5 min`, `3.2 h`. */
export function waitText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7_200 ? `${tenths(seconds / 60)} min` : `${tenths(seconds / 3_600)} h`;
}

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** An instance id in a few letters. */
export const shortId = (id: string): string => id.slice(0, 10);
