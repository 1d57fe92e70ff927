/** Versions of Node, from the npm registry's packages of them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { root } from '../build/version.ts';

const shipped = JSON.parse(readFileSync(join(root, 'packages/constructs/src/boot/node-runtime.json'), 'utf8')) as {
  readonly version: string;
};

/** Those that Drover is tried on: the oldest that the manifests allow, the newest is the one that it ships. */
const versions: Readonly<Record<string, string>> = { 20: '20.19.0', 22: '22.23.3', 24: shipped.version };

export const nodes = Object.keys(versions);

/** The folder that has `node` of a major version in it, to be put first into PATH; fetched unless it is here. */
export function nodeFolder(major: string): string {
  const version = versions[major];
  if (version === undefined) throw new Error(`no Node ${major}; there are ${nodes.join(', ')}`);
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'drover');
  const folder = join(cache, `node-${version}-${process.arch}`);
  if (!existsSync(folder)) fetchNode(`node-linux-${process.arch}@${version}`, cache, folder);
  return folder;
}

function fetchNode(name: string, cache: string, folder: string): void {
  mkdirSync(cache, { recursive: true });
  const fetched = mkdtempSync(join(cache, 'fetch-'));
  try {
    const options = ['--pack-destination', fetched, '--loglevel', 'error', '--ignore-scripts'];
    execFileSync('npm', ['pack', name, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
    const archive = join(fetched, readdirSync(fetched)[0]!);
    execFileSync('tar', ['-xzf', archive, '-C', fetched, '--strip-components=2', 'package/bin/node']);
    rmSync(archive);
    renameSync(fetched, folder);
  } finally {
    rmSync(fetched, { recursive: true, force: true });
  }
}
