import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TerminalError } from '@drover/core';

/**
 * A file that an installed package and the repository both have at their root: a package keeps the paths of the
 * repository.
 */
const marker = 'puppet/hiera.yaml';

/** The nearest folder above this file that has the programs. */
function findRoot(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, marker))) return folder;
    if (folder === dirname(folder))
      throw new TerminalError(`${marker} is in no folder above ${start}`, { remedy: 'install the package again' });
  }
}

const root = findRoot();

/** A file or the folder of a built program, by its path from the root of the repository. Programs are never imported. */
export function builtProgram(path: string): string {
  const found = join(root, path);
  if (!existsSync(found)) throw new TerminalError(`${path} is not built: run \`npm run build\` first`);
  return found;
}

/** A file that instances boot with. */
export const bootSource = (name: string): string => builtProgram(`packages/constructs/src/boot/${name}`);
