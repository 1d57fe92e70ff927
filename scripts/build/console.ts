/** Bundles the console: one script, one style sheet with its typeface, the page and its icon. */
import { appendFile, copyFile, mkdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { noticesFile, writeNotices } from './notices.ts';

const source = fileURLToPath(new URL('../../apps/console/src/', import.meta.url));
const outdir = fileURLToPath(new URL('../../apps/console/dist/', import.meta.url));

export async function buildConsole(): Promise<void> {
  await mkdir(outdir, { recursive: true });
  const { metafile } = await build({
    metafile: true,
    entryPoints: [
      { in: `${source}main.tsx`, out: 'console' },
      { in: `${source}console.css`, out: 'console' },
    ],
    outdir,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    loader: { '.woff2': 'dataurl' },
    external: ['/icon.svg'],
    logLevel: 'warning',
  });
  writeNotices('apps/console/dist', metafile);
  const font = await readFile(`${source}font/LICENSE`, 'utf8');
  await appendFile(`${outdir}${noticesFile}`, `\n${'-'.repeat(80)}\nThe typeface Inter (OFL-1.1)\n\n${font}`);
  for (const file of ['index.html', 'icon.svg']) await copyFile(`${source}${file}`, `${outdir}${file}`);
}
