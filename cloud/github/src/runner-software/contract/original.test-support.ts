import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const version = '2.336.0';
const besideTheCheckout = fileURLToPath(new URL('../../../../../../shared/tools/actions-runner', import.meta.url));

/** GitHub's own program, as it is, or with every wait of its client divided by 20. */
export type Build = 'as it is' | 'fast';
export const fastBy = 20;

/** The folder of GitHub's own runner: DROVER_REAL_RUNNER, or beside the checkout. Only this launcher knows of it. */
export const originalFolder = process.env.DROVER_REAL_RUNNER ?? besideTheCheckout;

const archives: Readonly<Record<Build, readonly string[]>> = {
  'as it is': [`actions-runner-linux-x64-${version}.tar.gz`],
  fast: [`actions-runner-linux-x64-${version}.tar.gz`, `fast-overlay-${version}.tar.gz`],
};

/** Why the original cannot be run here; empty when it can. */
export function reasonToSkip(build: Build): string {
  const missing = archives[build].find((name) => !existsSync(join(originalFolder, name)));
  if (missing !== undefined)
    return `skipped: there is no ${missing}; put GitHub's runner beside the checkout or name its folder in DROVER_REAL_RUNNER`;
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'skipped: it is built for Linux on x64';
  if (process.getuid?.() !== 0)
    return 'skipped: config.sh knows no other port than 80, which only root may listen on; run this as root';
  return '';
}

/** The release of the original, as GitHub publishes it. */
export function originalRelease(): { readonly version: string; readonly bytes: Uint8Array } {
  const [name] = archives['as it is'];
  const bytes = readFileSync(join(originalFolder, name!));
  checkedSum(name!, bytes);
  return { version, bytes };
}

/** Whether this process may mount a disk. */
export function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'drover-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', folder]).status === 0;
  if (mounted) execFileSync('umount', [folder]);
  rmdirSync(folder);
  return mounted;
}

/** Where a build lies unpacked, once for all runs; what was unpacked is what SHA256SUMS names. */
export function unpacked(build: Build): string {
  const hashes = archives[build].map((name) => checkedSum(name, readFileSync(join(originalFolder, name))).slice(0, 8));
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'drover', 'actions-runner');
  const folder = join(cache, hashes.join('-'));
  if (existsSync(folder)) return folder;
  const fresh = `${folder}.${process.pid}`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  for (const name of archives[build])
    execFileSync('tar', ['--extract', '--gzip', '--file', join(originalFolder, name), '--directory', fresh]);
  renameSync(fresh, folder);
  return folder;
}

function checkedSum(name: string, bytes: Uint8Array): string {
  const sum = createHash('sha256').update(bytes).digest('hex');
  const sums = readFileSync(join(originalFolder, 'SHA256SUMS'), 'utf8');
  if (!sums.includes(`${sum}  ${name}`)) throw new Error(`${name} is not the file that SHA256SUMS names`);
  return sum;
}
