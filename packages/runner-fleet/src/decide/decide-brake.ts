import type { FleetInstance, HostReport } from '../model/fleet.ts';
import type { BootFailure } from '../model/memory.ts';

/** So many failed boots within an hour are no accident: the next instance would fail, too. */
export const brakeAfter = 2;
const withinMs = 60 * 60_000;
/** What the doctor can still show. */
const rememberedMs = 24 * 60 * 60_000;
const mostRemembered = 10;

/** Adds the failed boots that hosts reported to those that are known. */
export function noteBootFailures(
  known: readonly BootFailure[],
  reports: ReadonlyMap<string, HostReport>,
  now: number,
  instances: readonly FleetInstance[] = [],
): readonly BootFailure[] {
  const noted = new Set(known.map(({ instanceId }) => instanceId));
  const fresh = [...reports].flatMap(([instanceId, { at, failure }]) => {
    if (failure === undefined || noted.has(instanceId)) return [];
    const template = instances.find(({ id }) => id === instanceId)?.launchTemplateVersion;
    return [{ instanceId, at, reason: failure, ...(template === undefined ? {} : { template }) }];
  });
  return [...known, ...fresh].filter(({ at }) => now - at < rememberedMs).slice(-mostRemembered);
}

/** Failed boots that count. */
export const recentBootFailures = (known: readonly BootFailure[] = [], now: number): readonly BootFailure[] =>
  known.filter(({ at }) => now - at < withinMs);

/**
 * The brake: from now on a host whose boot fails leaves its launch hook open. It counts as capacity until the hook ends the launch
 * by itself, after half an hour, so that the group launches no other in its place, and it can be inspected meanwhile. Nothing has to
 * be taken back: without further failures the brake is off after an hour (docs/decisions/0029).
 */
export const brakeIsOn = (known: readonly BootFailure[] | undefined, now: number): boolean =>
  recentBootFailures(known, now).length >= brakeAfter;
