/**
 * The new state, with every part of it that did not change taken from the old one: whoever shows a part can tell by
 * comparing references whether there is anything to do.
 */
export function sameParts<T>(before: unknown, after: T): T {
  if (before === after || typeof before !== 'object' || typeof after !== 'object') return after;
  if (before === null || after === null || Array.isArray(before) !== Array.isArray(after)) return after;
  const old = before as Record<string, unknown>;
  const fresh = after as Record<string, unknown>;
  const keys = Object.keys(fresh);
  let same = Object.keys(old).length === keys.length;
  for (const key of keys) {
    fresh[key] = sameParts(old[key], fresh[key]);
    if (fresh[key] !== old[key]) same = false;
  }
  return same ? (before as T) : after;
}
