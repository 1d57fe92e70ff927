/** Retention of a policy ("Create or update snapshot lifecycle policy API: retention"). */
export interface Retention {
  readonly expireAfterMs?: number;
  readonly minCount?: number;
  readonly maxCount?: number;
}

export interface RetentionSnapshot {
  readonly name: string;
  readonly startMs: number;
  readonly state: string;
}

/** Names of the snapshots of one policy that retention removes, oldest first. */
export function decideRetention(
  retention: Retention,
  snapshots: readonly RetentionSnapshot[],
  nowMs: number,
): string[] {
  const sorted = [...snapshots].sort((a, b) => a.startMs - b.startMs);
  const successes = sorted.filter(isSuccess);
  const newestSuccessMs = successes.at(-1)?.startMs ?? Number.NEGATIVE_INFINITY;
  const { expireAfterMs, minCount, maxCount } = retention;
  const surplus = maxCount === undefined ? 0 : Math.max(0, successes.length - maxCount);
  const oldest = upToSuccess(sorted, surplus);
  const expendable = new Set(
    minCount === undefined ? successes : successes.slice(0, Math.max(0, successes.length - minCount)),
  );
  return sorted.filter(eligible).map(({ name }) => name);

  function eligible(snapshot: RetentionSnapshot): boolean {
    const failed = snapshot.state === 'FAILED' || snapshot.state === 'PARTIAL';
    if (expireAfterMs === undefined && failed && newestSuccessMs > snapshot.startMs) return true;
    if (oldest.has(snapshot)) return true;
    if (expireAfterMs === undefined) return false;
    if (isSuccess(snapshot) && !expendable.has(snapshot)) return false;
    return (isSuccess(snapshot) || failed) && nowMs - snapshot.startMs > expireAfterMs;
  }
}

const isSuccess = ({ state }: RetentionSnapshot) => state === 'SUCCESS';

/** The oldest snapshots up to and including the n-th successful one: those that are over the maximum, failed ones between them too. */
function upToSuccess(sorted: readonly RetentionSnapshot[], count: number): Set<RetentionSnapshot> {
  const found = new Set<RetentionSnapshot>();
  let seen = 0;
  for (const snapshot of count > 0 ? sorted : []) {
    if (isSuccess(snapshot)) seen += 1;
    if (seen > count) break;
    found.add(snapshot);
  }
  return found;
}
