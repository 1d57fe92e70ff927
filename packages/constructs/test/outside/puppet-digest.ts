import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { puppetTree } from './scratch-root.ts';

/** The digest of the Puppet tree from which the catalogues beside it were compiled. */
export const recordedDigestFile = fileURLToPath(
  new URL('../../../stage/src/cluster/catalogs/puppet-tree.sha256', import.meta.url),
);

/** A digest of everything that Puppet reads: names and contents of all files, the documentation left out. */
export function puppetDigest(folder = puppetTree): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const lines = files.map((file) => `${sha256(readFileSync(file))}  ${relative(folder, file)}\n`);
  return `${sha256(lines.join(''))}\n`;
}

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
