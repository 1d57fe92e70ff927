import { type Clock, dayMs, describeError, type Logger } from '@drover/core';
import { metrics } from '@drover/core/names/runner-fleet';
import { ourRunners } from '../decide/decide-reconcile.ts';
import { allRunners } from '../model/memory.ts';
import type { FleetRelease } from '../model/release.ts';
import type { FleetMemory, Metrics, PublishedReleases, ReleaseMirror } from '../ports.ts';
import { failureFields } from './failure-fields.ts';

export interface VersionPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly groupName: string;
  readonly memory: Pick<FleetMemory, 'read'>;
  readonly published: PublishedReleases;
  readonly mirror: ReleaseMirror;
  readonly metrics: Metrics;
  /** A version that was chosen by hand. @default the newest */
  readonly chosen?: { readonly version: string; readonly checksum: string } | undefined;
}

/** The platform is asked every second pass of the schedule. */
const askEveryMs = 25 * 60_000;
/** A fleet has few versions at a time; more are asked for at the next pass. */
const mostVersions = 10;

/**
 * Mirrors the newest release for booting instances, and publishes how many days the versions in use still get jobs. What
 * instances read is written as soon as the archive is there: everything after it only informs.
 */
export async function keepVersion(ports: VersionPorts): Promise<void> {
  const now = ports.clock.now();
  // First: another function may have been asked to stay away from the platform.
  const { runners } = await ports.memory.read();
  const known = await ports.mirror.read();
  const due = known === undefined || now - known.checkedAt >= askEveryMs || differsFromChoice(ports, known);
  const current = due ? await currentRelease(ports, known, now) : known;
  const ours = runners === undefined ? [] : ourRunners(ports.groupName, allRunners(runners));
  const inUse = new Set([current.version, ...ours.flatMap(({ version }) => version ?? [])]);
  const ends = due ? await askEnds(ports, [...inUse].slice(0, mostVersions), known?.ends ?? {}) : current.ends;
  if (due) await ports.mirror.write({ ...current, ends });
  const nearest = Math.min(...[...inUse].map((version) => ends[version] ?? Number.POSITIVE_INFINITY));
  if (Number.isFinite(nearest))
    await ports.metrics.put({ [metrics.runnerDaysLeft]: Math.floor((nearest - now) / dayMs) });
}

const differsFromChoice = ({ chosen }: VersionPorts, known: FleetRelease) =>
  chosen === undefined ? known.key === undefined : chosen.version !== known.version;

/** Without a response of the platform, the earlier release stays valid for the time being. */
async function currentRelease(
  ports: VersionPorts,
  known: FleetRelease | undefined,
  now: number,
): Promise<FleetRelease> {
  const base = { checkedAt: now, ends: known?.ends ?? {} };
  if (ports.chosen !== undefined) return { ...base, ...ports.chosen };
  const mirrored = known?.key === undefined ? undefined : known;
  try {
    const latest = await ports.published.latest();
    const { version, checksum } = latest;
    if (mirrored?.version === version && mirrored.checksum === checksum) return { ...mirrored, ...base };
    const key = await ports.mirror.copy(latest);
    // Before it is forgotten; GitHub may also take a release back and return to the one before.
    const { key: keyBefore, keyBefore: oldest } = mirrored ?? {};
    if (oldest !== undefined && oldest !== key) await ports.mirror.remove(oldest);
    const release = { ...base, version, checksum, key, ...(keyBefore === undefined ? {} : { keyBefore }) };
    await ports.mirror.write(release);
    ports.log.info('a release of the runner software is mirrored', { version, before: known?.version ?? 'none' });
    return release;
  } catch (error) {
    if (mirrored === undefined) throw error;
    ports.log.error('the newest runner software could not be mirrored', {
      keeps: mirrored.version,
      ...failureFields(error),
    });
    // It is due again at the next pass, and the doctor shows how old it is.
    return mirrored;
  }
}

/** A version whose end cannot be asked for keeps the end that is known. */
async function askEnds(
  { published, log }: VersionPorts,
  versions: readonly string[],
  known: FleetRelease['ends'],
): Promise<Record<string, number>> {
  const ends: Record<string, number> = {};
  for (const version of versions) {
    let at = known[version];
    try {
      at = await published.endOf(version);
    } catch (error) {
      log.warn('the end of a runner version could not be asked for', { version, error: describeError(error) });
    }
    if (at !== undefined) ends[version] = at;
  }
  return ends;
}
