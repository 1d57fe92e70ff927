/** A release of the runner software as the platform publishes it. */
export interface PublishedRelease {
  readonly version: string;
  /** SHA-256 of the archive. */
  readonly checksum: string;
  readonly url: string;
  readonly bytes: number;
}

/** The runner software that instances of a fleet have to have, as its functions and booting instances read it. */
export interface FleetRelease {
  readonly version: string;
  readonly checksum: string;
  /** Key of the mirrored archive; undefined for a version that was chosen by hand, which instances fetch from GitHub. */
  readonly key?: string;
  /** Key of the archive before it, which an instance may be about to fetch. */
  readonly keyBefore?: string;
  /** When the platform was last asked. */
  readonly checkedAt: number;
  /** From when on the platform gives no more jobs to a version, for the versions in use that have such an end. */
  readonly ends: Readonly<Record<string, number>>;
}
