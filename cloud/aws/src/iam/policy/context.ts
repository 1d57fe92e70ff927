/** The facts of one request that conditions and policy variables may ask for. */
export interface RequestContext {
  /** All values of a condition key, undefined when the request does not have the key. Names ignore case. */
  get(key: string): readonly string[] | undefined;
}

/** A context from plain entries. Key names ignore case, see "IAM JSON policy elements: Condition" in the IAM user guide. */
export function contextOf(
  ...sources: readonly (Readonly<Record<string, string | readonly string[] | undefined>> | undefined)[]
): RequestContext {
  const values = new Map<string, readonly string[]>();
  for (const source of sources)
    for (const [key, value] of Object.entries(source ?? {}))
      if (value !== undefined) values.set(key.toLowerCase(), typeof value === 'string' ? [value] : value);
  return { get: (key) => lookUpKey(values, key.toLowerCase()) };
}

/**
 * Services offer tags of a resource under `aws:ResourceTag/k` and under a prefix of their own
 * (`ec2:ResourceTag/k`, `autoscaling:ResourceTag/k`): see "Service Authorization Reference".
 */
function lookUpKey(values: ReadonlyMap<string, readonly string[]>, key: string): readonly string[] | undefined {
  const found = values.get(key);
  if (found !== undefined) return found;
  const own = /^[a-z0-9-]+:((?:resource|request)tag\/.+)$/.exec(key);
  return own === null ? undefined : values.get(`aws:${own[1]}`);
}

const normalKeys = new Map<string, string>();
const mostNormalKeys = 10_000;

/** One spelling for all names under which `lookUpKey` finds the same value. */
export function normalKey(key: string): string {
  let normal = normalKeys.get(key);
  if (normal !== undefined) return normal;
  const lower = key.toLowerCase();
  normal = /^[a-z0-9-]+:((?:resource|request)tag\/.+)$/.exec(lower)?.[1] ?? lower;
  if (normalKeys.size >= mostNormalKeys) normalKeys.clear();
  normalKeys.set(key, normal);
  return normal;
}

/** Time is read through these keys: a decision that read one holds only for that moment. */
export const timeKeys: ReadonlySet<string> = new Set(['aws:currenttime', 'aws:epochtime', 'aws:tokenissuetime']);
