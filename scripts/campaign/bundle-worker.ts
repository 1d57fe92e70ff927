import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { workerBundle } from '../build/drover.ts';

/** Inside the checkout, so that Node finds the packages of npm. */
const parent = '.cache/campaign';

/**
 * Writes the worker as plain JavaScript and returns its path. A loader that translates each module as it comes names
 * every function again whenever one is made, which a simulation does millions of times. The files are this process's
 * own: seeds that run for an hour do not see what is edited meanwhile.
 */
export async function bundleWorker(entry = 'scripts/campaign/worker.ts'): Promise<string> {
  mkdirSync(parent, { recursive: true });
  const outdir = mkdtempSync(`${parent}/worker-`);
  process.on('exit', () => rmSync(outdir, { recursive: true, force: true }));
  await build({
    entryPoints: [entry],
    outdir,
    outExtension: { '.js': '.mjs' },
    // A module that a scenario loads when it runs stays a file of its own.
    splitting: true,
    ...workerBundle,
  });
  return `${outdir}/${basename(entry, '.ts')}.mjs`;
}
