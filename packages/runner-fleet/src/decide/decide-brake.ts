import type { FleetInstance, HostReport } from '../model/fleet.ts';
import type { BootFailure, Memory } from '../model/memory.ts';

/** This many failed boots within an hour are no accident: the next instance would fail, too. */
export const brakeAfter = 2;
const withinMs = 60 * 60_000;
/** How long the doctor can still show a failure. */
const rememberedMs = 24 * 60 * 60_000;
const mostRemembered = 10;

/** The failed boots that hosts reported, and the hosts that broke in service: both may go on with the next launch. */
export const reportedFailures = (reports: ReadonlyMap<string, HostReport>): readonly BootFailure[] =>
  [...reports].flatMap(([instanceId, { at, failure, unfit }]) =>
    failure === undefined ? [] : [{ instanceId, at, reason: failure, ...(unfit === 'broken' ? { broken: true } : {}) }],
  );

/** Adds failed boots to those that are known, each once. */
export function noteBootFailures(
  known: readonly BootFailure[] = [],
  failed: readonly BootFailure[],
  now: number,
  instances: readonly FleetInstance[] = [],
): readonly BootFailure[] {
  const noted = new Set(known.map(({ instanceId }) => instanceId));
  const fresh = failed
    .filter(({ instanceId }) => !noted.has(instanceId))
    .map((failure) => {
      const template = instances.find(({ id }) => id === failure.instanceId)?.launchTemplateVersion;
      return template === undefined ? failure : { ...failure, template };
    });
  return [...known, ...fresh].filter(({ at }) => now - at < rememberedMs).slice(-mostRemembered);
}

/** Failed boots that count. Where each takes long to fail, or to be replaced, there are few in an hour: those count for longer. */
export const recentBootFailures = (known: readonly BootFailure[] = [], now: number): readonly BootFailure[] =>
  known.filter(({ at, silentMs = 0, broken }) => now - at < withinMs + (broken === true ? withinMs : 2 * silentMs));

/**
 * The brake: from now on a host whose boot fails leaves its launch hook open. It counts as capacity until the hook ends
 * the launch by itself, after half an hour, so that the group launches no replacement, and it can be inspected
 * meanwhile. Nothing has to be taken back: without further failures the brake is off after an hour
 * (docs/decisions/0029).
 */
export const brakeIsOn = (known: readonly BootFailure[] | undefined, now: number): boolean =>
  recentBootFailures(known, now).length >= brakeAfter;

/** An instance in a launch wait, and when its launch began. */
export interface WaitingBoot {
  readonly instanceId: string;
  readonly since: number;
  readonly report: HostReport | undefined;
}

export interface SilentBoots {
  /** To be noted. */
  readonly failed: readonly BootFailure[];
  /** Of these the launches are ended now. The brake keeps the others in their places until their hook ends. */
  readonly abandon: readonly string[];
}

/**
 * Boots whose hosts have been silent for `boot_timeout`: a boot script that goes on reports every few minutes, for as long as it takes. A host that
 * reported its own failure is not among them. Pure.
 */
export function decideSilentBoots(
  waiting: readonly WaitingBoot[],
  { bootFailures, registrableSince = 0 }: Pick<Memory, 'bootFailures' | 'registrableSince'>,
  bootTimeoutMs: number,
  now: number,
): SilentBoots {
  const failed: BootFailure[] = [];
  const abandon: string[] = [];
  for (const { instanceId, since, report } of waiting) {
    if (report?.failure !== undefined || bootFailures?.some((known) => known.instanceId === instanceId)) continue;
    const silentMs = now - Math.max(since, registrableSince, report?.at ?? 0);
    if (silentMs < bootTimeoutMs) continue;
    if (!brakeIsOn(noteBootFailures(bootFailures, failed, now), now)) abandon.push(instanceId);
    failed.push({ instanceId, at: now, silentMs, reason: silenceReason(silentMs, report) });
  }
  return { failed, abandon };
}

function silenceReason(silentMs: number, report: HostReport | undefined): string {
  const minutes = Math.round(silentMs / 60_000);
  return report === undefined
    ? `no sign of life in ${minutes} minutes since the launch (boot_timeout): the boot script did not begin, or the host reaches neither Auto Scaling nor S3`
    : `nothing new in the boot log for ${minutes} minutes (boot_timeout), which ends with\n${report.bootLog ?? ''}`;
}
