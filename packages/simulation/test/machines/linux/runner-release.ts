import { standInVersion } from '@drover/cloud-github';
import { standInTarball } from '@drover/cloud-github/stand-in';
import { originalRelease, reasonToSkip } from '@drover/cloud-github/testing';

export type RunnerSoftware = 'original' | 'stand-in';

interface Release {
  readonly name: string;
  readonly version: string;
  readonly bytes: Uint8Array;
}

/** Why GitHub's own runner cannot be had here; empty when it can. */
export const reasonWithoutOriginal = (): string => reasonToSkip('as it is');

/** The archive that machines install: GitHub's own runner where it can be had, unless the stand-in is asked for. */
export function runnerRelease(wanted: RunnerSoftware | undefined): Release {
  const reason = reasonWithoutOriginal();
  if (wanted === 'original' && reason !== '') throw new Error(reason);
  if (wanted !== 'stand-in' && reason === '') {
    const { version, bytes } = originalRelease();
    return { name: `GitHub's own, ${version}`, version, bytes };
  }
  return { name: `the stand-in ${reason}`, version: standInVersion, bytes: standInTarball().bytes };
}
