import { spawnSync } from 'node:child_process';
import { builtCommit } from '../build/built-commit.ts';

export interface Sources {
  /** As `builtCommit` returns it. */
  readonly commit: string | undefined;
  /** The commit that the tag of the version names. */
  readonly tagged: string | undefined;
}

/** Why a version must not be made of these sources. One with `-dev` is made of anything, and is not published. */
export function whyNotReleased(version: string, { commit, tagged }: Sources): string | undefined {
  if (version.includes('-')) return undefined;
  if (commit === undefined) return `${version} is made of a commit: there is no git here`;
  if (commit.endsWith('-changed')) return `${version} is made of a commit: there are changes that are not in one`;
  if (tagged !== undefined && tagged !== commit)
    return `the tag v${version} names ${tagged}, and this is ${commit}: a version is released once`;
  return undefined;
}

export function sources(version: string): Sources {
  const tag = ['rev-parse', '--short=12', '--verify', '--quiet', `refs/tags/v${version}^{commit}`];
  const { stdout } = spawnSync('git', tag, { encoding: 'utf8' });
  return { commit: builtCommit(), tagged: stdout.trim() || undefined };
}
