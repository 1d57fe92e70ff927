import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TerminalError } from '@drover/core';

export interface PageFiles {
  /** Path of the request → file and its media type. */
  readonly [path: string]: { readonly file: string; readonly type: string };
}

const types = {
  'index.html': 'text/html; charset=utf-8',
  'console.js': 'text/javascript',
  'console.css': 'text/css',
  'icon.svg': 'image/svg+xml',
};

/** The built page. */
export function pageFiles(): PageFiles {
  const folder = builtPage();
  return Object.fromEntries(
    Object.entries(types).map(([name, type]) => [`/${name}`, { file: join(folder, name), type }]),
  );
}

/** In the nearest folder above this file that has it: a package keeps the paths of the repository. */
function builtPage(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, 'apps/console/dist');
    if (existsSync(found)) return found;
  }
  throw new TerminalError('apps/console/dist is not built: run `npm run build` first');
}
