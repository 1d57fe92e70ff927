import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TerminalError } from '@drover/core';
import type { PageFiles } from './server.ts';

const types = {
  'index.html': 'text/html; charset=utf-8',
  'console.js': 'text/javascript',
  'console.css': 'text/css',
  'icon.svg': 'image/svg+xml',
};

/** The built page. */
export function pageFiles(root: string): PageFiles {
  const folder = join(root, 'apps/console/dist');
  if (!existsSync(join(folder, 'index.html')))
    throw new TerminalError('the console is not built', { remedy: 'run `npm run build` first, or use `npm start`' });
  return Object.fromEntries(
    Object.entries(types).map(([name, type]) => [`/${name}`, { file: join(folder, name), type }]),
  );
}
