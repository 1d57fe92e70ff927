import { spawnSync } from 'node:child_process';

const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8' });

/** The commit of the sources, with a mark if they differ from it; undefined where there is no history. */
export function builtCommit(): string | undefined {
  const { status, stdout } = git('rev-parse', '--short=12', 'HEAD');
  if (status !== 0) return undefined;
  const changed = git('status', '--porcelain', '--untracked-files=no').stdout.trim() !== '';
  return `${stdout.trim()}${changed ? '-changed' : ''}`;
}
