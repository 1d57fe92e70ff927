import { build } from 'esbuild';
import { npmStaysOutside } from './npm-stays-outside.ts';

/** The process in which `drover what-if` replays, as plain JavaScript. */
export async function buildReplayWorker(): Promise<void> {
  await build({
    entryPoints: ['apps/drover/src/what-if/replay/replay-worker.ts'],
    outfile: 'apps/drover/dist/replay-worker.mjs',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    plugins: [npmStaysOutside],
    logLevel: 'warning',
  });
}
