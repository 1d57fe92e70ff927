import { createHash } from 'node:crypto';
import type { HttpResponse } from '@drover/cloud-engine';
import type { Clock } from '@drover/core';
import { standInVersion } from '../runner-software/runner-files.ts';

/** A release of actions/runner. */
export interface RunnerRelease {
  readonly version: string;
  readonly publishedAt: number;
  /** How long older versions still get jobs. */
  readonly graceMs: number;
}

/** The archives of a release that are modelled, by the platform in their names. */
export type RunnerPlatform = 'linux-x64' | 'linux-arm64';
export const runnerPlatforms: readonly RunnerPlatform[] = ['linux-x64', 'linux-arm64'];

const dayMs = 24 * 3_600_000;
/** docs.github.com, "Self-hosted runners reference": an update has to be installed within 30 days of its release. */
const usualGraceMs = 30 * dayMs;
/** The newest release is this old when the world begins. */
const firstAgeMs = 10 * dayMs;

/** The host to which a download from github.com is redirected. */
export const assetHost = 'release-assets.githubusercontent.com';
const downloads = '/actions/runner/releases/download/';

export interface RunnerReleasesOptions {
  /** The bytes of an archive. @default a few that name the version */
  readonly runnerArchive?: (version: string, platform: RunnerPlatform) => Uint8Array;
}

/** The releases of the runner software, and how long GitHub gives jobs to each. */
export class RunnerReleases {
  readonly #clock: Clock;
  readonly #retired: () => void;
  readonly #archive: NonNullable<RunnerReleasesOptions['runnerArchive']>;
  readonly #releases: RunnerRelease[] = [];

  /** `retired` is called whenever a version has come to its end. */
  constructor(clock: Clock, retired: () => void, options: RunnerReleasesOptions = {}) {
    this.#clock = clock;
    this.#retired = retired;
    this.#archive =
      options.runnerArchive ?? ((version, platform) => Buffer.from(`actions-runner ${platform} ${version}`));
    this.#releases.push({
      version: standInVersion,
      publishedAt: clock.now() - firstAgeMs,
      graceMs: usualGraceMs,
    });
  }

  get latest(): RunnerRelease {
    return this.#releases.at(-1)!;
  }

  find(version: string): RunnerRelease | undefined {
    return this.#releases.find((release) => release.version === version);
  }

  /** A new version. Older ones get jobs for 30 days more; after a critical security release none (same page). */
  publish(version: string, options: { readonly graceDays?: number } = {}): void {
    const graceMs = options.graceDays === undefined ? usualGraceMs : options.graceDays * dayMs;
    this.#releases.push({ version, publishedAt: this.#clock.now(), graceMs });
    this.#clock.after(graceMs, this.#retired);
  }

  /** When a version gets no more jobs; undefined while it is the newest. */
  retiresAt(version: string): number | undefined {
    const newer = this.#releases.filter((release) => isOlder(version, release.version));
    return newer.length === 0 ? undefined : Math.min(...newer.map(({ publishedAt, graceMs }) => publishedAt + graceMs));
  }

  isRetired(version: string): boolean {
    const at = this.retiresAt(version);
    return at !== undefined && this.#clock.now() >= at;
  }

  archive(version: string, platform: RunnerPlatform): { readonly name: string; readonly bytes: Uint8Array } {
    return { name: `actions-runner-${platform}-${version}.tar.gz`, bytes: this.#archive(version, platform) };
  }

  /** The response of the web site and of the host of its downloads; undefined for a path that is no download. */
  download(host: string, path: string): HttpResponse | undefined {
    const found = path.startsWith(downloads)
      ? /^v([\d.]+)\/actions-runner-(linux-x64|linux-arm64)-([\d.]+)\.tar\.gz$/.exec(path.slice(downloads.length))
      : undefined;
    if (found === undefined) return undefined;
    const [, version = '', platform] = found ?? [];
    if (this.find(version) === undefined) return { status: 404, headers: {}, body: 'Not Found' };
    if (host === 'github.com')
      return { status: 302, headers: { location: `https://${assetHost}${path}?sig=stands-for-a-signature` }, body: '' };
    const { bytes } = this.archive(version, platform as RunnerPlatform);
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(bytes.length) };
    return { status: 200, headers, body: bytes };
  }
}

export const downloadPath = (version: string, name: string): string => `${downloads}v${version}/${name}`;
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Compares versions number by number. */
export function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (const [index, number] of b.entries()) if ((a[index] ?? 0) !== number) return (a[index] ?? 0) < number;
  return false;
}
