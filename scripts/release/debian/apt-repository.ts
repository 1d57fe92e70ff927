/**
 * Makes a folder of packages a repository for apt: `Packages` and `Release` beside them ("flat repository format" of Debian's wiki,
 * DebianRepository/Format). Signed if DROVER_APT_KEY names a file with a secret key of OpenPGP.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { controlOf } from './archive.ts';

/** Files that are written only with a key. SHA256SUMS leaves them out: a build without the key is compared with it too. */
export const signatures = ['InRelease', 'Release.gpg', 'drover-archive-keyring.asc'];

const digest = (algorithm: string, content: Uint8Array) => createHash(algorithm).update(content).digest('hex');

/** `modified` is in seconds since 1970. */
export function writeAptRepository(folder: string, version: string, modified: number, key?: string): void {
  const debs = readdirSync(folder).filter((name) => name.endsWith('.deb'));
  const packages = Buffer.from(
    debs
      .sort()
      .map((name) => stanza(name, readFileSync(join(folder, name))))
      .join('\n'),
  );
  const indexes = { Packages: packages, 'Packages.gz': gzipSync(packages, { level: 9 }) };
  for (const [name, content] of Object.entries(indexes)) writeFileSync(join(folder, name), content);
  const sums = Object.entries(indexes).map(
    ([name, content]) => ` ${digest('sha256', content)} ${content.length} ${name}`,
  );
  const release = `Origin: Drover
Label: Drover
Suite: stable
Version: ${version}
Date: ${new Date(modified * 1000).toUTCString().replace('GMT', 'UTC')}
Architectures: all amd64 arm64
Description: cluster-cli and runner-agent of Drover, with the Node that they run on
SHA256:
${sums.join('\n')}
`;
  writeFileSync(join(folder, 'Release'), release);
  if (key !== undefined) sign(folder, key);
}

const stanza = (name: string, deb: Buffer) => `${controlOf(deb)}Filename: ./${name}
Size: ${deb.length}
SHA256: ${digest('sha256', deb)}
`;

/** In a keyring of its own, which is removed with the key. */
function sign(folder: string, key: string): void {
  const home = mkdtempSync(join(tmpdir(), 'drover-gpg-'));
  const gpg = (...args: string[]) =>
    execFileSync('gpg', ['--homedir', home, '--batch', '--yes', '--quiet', '--armor', ...args], { cwd: folder });
  const [signed, detached, keyring] = signatures as [string, string, string];
  try {
    execFileSync('gpg', ['--homedir', home, '--batch', '--quiet', '--import', key]);
    gpg('--output', signed, '--clear-sign', 'Release');
    gpg('--output', detached, '--detach-sign', 'Release');
    gpg('--output', keyring, '--export');
  } finally {
    execFileSync('gpgconf', ['--homedir', home, '--kill', 'all']);
    rmSync(home, { recursive: true, force: true });
  }
}
