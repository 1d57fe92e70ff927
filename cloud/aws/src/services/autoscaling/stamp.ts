/** `2026-01-05T00:00:00Z`, as causes write moments. */
export const stamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
