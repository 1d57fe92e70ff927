const known = new WeakMap<Uint8Array, unknown>();

/** A JSON document in a bucket, which is looked at more often than it is written. Undefined: a fault may have cut it off. */
export function parsed<T>(stored: Uint8Array | undefined): T | undefined {
  if (stored === undefined) return undefined;
  if (!known.has(stored)) known.set(stored, read(stored));
  return known.get(stored) as T | undefined;
}

function read(stored: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(stored).toString());
  } catch {
    return undefined;
  }
}
