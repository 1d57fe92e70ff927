import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TerminalError } from '@drover/core';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');

/** The folder of a built program, by its path from the root of the repository. Programs are never imported. */
export function builtProgram(path: string): string {
  const folder = join(root, path);
  if (!existsSync(folder)) throw new TerminalError(`${path} is not built`, { remedy: 'run `npm run build` first' });
  return folder;
}
