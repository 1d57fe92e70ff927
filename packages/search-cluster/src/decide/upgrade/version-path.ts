import { compareVersions, isOlder, majorOf, minorOf } from '../../model/version.ts';
import shipped from './releases.json' with { type: 'json' };

/** Every release that is known, with the moment of its build. */
export type Releases = Readonly<Record<string, string>>;

export const knownReleases: Releases = shipped.releases;

/** Versions that are released on one day are built within this time; whole releases are further apart. */
const oneReleaseMs = 3 * 24 * 3_600_000;

/**
 * Why Elastic does not support the upgrade from one version to another; undefined when it does ("Upgrade your deployment or cluster": upgrade
 * paths, out-of-order releases). A newer number is not enough: a later release may have written what an earlier one cannot read.
 */
export function whyNoPath(from: string, to: string, releases: Releases = knownReleases): string | undefined {
  const because = obstacle(from, to, releases);
  if (because === undefined || !isOlder(from, to)) return because;
  const newest = Object.keys(releases)
    .filter((one) => isOlder(from, one) && obstacle(from, one, releases) === undefined)
    .sort(compareVersions)
    .at(-1);
  return `${because}; ${newest === undefined ? 'wait for a newer release' : `the newest known release for ${from} is ${newest}`}`;
}

function obstacle(from: string, to: string, releases: Releases): string | undefined {
  if (compareVersions(from, to) === 0) return undefined;
  if (isOlder(to, from)) return `${to} is older than ${from}: no node can be downgraded`;
  return overMajor(from, to, releases) ?? unknown(from, to, releases) ?? outOfOrder(from, to, releases);
}

function overMajor(from: string, to: string, releases: Releases): string | undefined {
  if (majorOf(to) === majorOf(from)) return undefined;
  if (majorOf(to) > majorOf(from) + 1) return `${from} cannot be upgraded over a major to ${to}`;
  const minor = lastMinorBefore(to, releases);
  return minorOf(from) === minor
    ? undefined
    : `${majorOf(to)}.${minorOf(to)} is reached from ${majorOf(from)}.${minor} only`;
}

/** The last minor of the major before; but 9.0 was released with 8.18, before there was an 8.19, and is reached from 8.18 alone. */
function lastMinorBefore(to: string, releases: Releases): number {
  if (majorOf(to) === 9 && minorOf(to) === 0) return 18;
  return lastMinors(releases).get(majorOf(to) - 1) ?? 0;
}

const found = new WeakMap<Releases, ReadonlyMap<number, number>>();

/** The last minor of each major, found once: a driver asks every few seconds. */
function lastMinors(releases: Releases): ReadonlyMap<number, number> {
  const known = found.get(releases);
  if (known !== undefined) return known;
  const minors = new Map<number, number>();
  for (const version of Object.keys(releases))
    minors.set(majorOf(version), Math.max(minorOf(version), minors.get(majorOf(version)) ?? 0));
  found.set(releases, minors);
  return minors;
}

function unknown(from: string, to: string, releases: Releases): string | undefined {
  const missing = [to, from].find((version) => releases[version] === undefined);
  return missing === undefined
    ? undefined
    : `this version of Drover does not know the release ${missing} (its list is of ${shipped.asOf}): if Elastic released ${to} after ${from}, go on with --skip version-path`;
}

/** Patches of one minor are released in their order. */
function outOfOrder(from: string, to: string, releases: Releases): string | undefined {
  const sameMinor = majorOf(from) === majorOf(to) && minorOf(from) === minorOf(to);
  const builtAt = (version: string) => Date.parse(releases[version]!);
  if (sameMinor || builtAt(to) - builtAt(from) >= oneReleaseMs) return undefined;
  const day = (version: string) => `${version} (built ${releases[version]!.slice(0, 10)})`;
  return `${day(to)} was not released after ${day(from)}`;
}
