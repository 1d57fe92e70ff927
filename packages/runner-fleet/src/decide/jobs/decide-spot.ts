import type { GroupFacts, HostReport } from '../../model/fleet.ts';

const minuteMs = 60_000;
/** How long a failed launch counts. */
export const failureCountsMs = 10 * minuteMs;
/** Reclaims of this time are counted together, and after too many of them spot is left alone for longer. */
const reclaimsCountMs = 15 * minuteMs;
const breakerOpenMs = 30 * minuteMs;
const leastReclaims = 2;
const reclaimedShare = 10;

/** When each spot instance was seen to be taken back. */
export type Reclaims = Readonly<Record<string, number>>;

/** Adds the instances that say so. What is too old to count is forgotten. */
export function noteReclaims(
  known: Reclaims | undefined,
  reports: ReadonlyMap<string, HostReport>,
  now: number,
): Reclaims | undefined {
  const said = [...reports].flatMap(([id, { reclaimed }]) =>
    reclaimed === true ? [[id, known?.[id] ?? now] as const] : [],
  );
  const all = Object.entries({ ...known, ...Object.fromEntries(said) });
  const kept = all.filter(([, at]) => now - at < reclaimsCountMs + breakerOpenMs);
  return kept.length === 0 && known === undefined ? undefined : Object.fromEntries(kept);
}

/** Two instances within a quarter of an hour, or a tenth of a large group: more of them would go the same way. */
export function breakerIsOpen(reclaims: Reclaims | undefined, present: number, now: number): boolean {
  const times = Object.values(reclaims ?? {});
  const many = Math.max(leastReclaims, Math.ceil(present / reclaimedShare));
  return times.some(
    (last) =>
      now - last < breakerOpenMs && times.filter((at) => at <= last && last - at < reclaimsCountMs).length >= many,
  );
}

/** Why nothing is launched as spot now; undefined: it is. */
export function spotClosedBecause(
  { instances, fallback }: Pick<GroupFacts, 'instances' | 'fallback'>,
  {
    launchFailedAt,
    reclaims,
    rerunWaits = false,
  }: {
    readonly launchFailedAt: number | undefined;
    readonly reclaims: Reclaims | undefined;
    /** An interrupted job that is run again waits for an instance. */
    readonly rerunWaits?: boolean;
  },
  now: number,
): 'no-capacity' | 'reclaims' | 'rerun' | undefined {
  if (fallback === undefined || fallback.maxSize === 0) return undefined;
  if (launchFailedAt !== undefined && now - launchFailedAt < failureCountsMs) return 'no-capacity';
  if (rerunWaits) return 'rerun';
  const spot = instances.filter(({ isFallback }) => isFallback !== true).length;
  return breakerIsOpen(reclaims, spot, now) ? 'reclaims' : undefined;
}
