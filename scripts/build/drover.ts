/** Bundles `drover` and the processes that it starts: a file for each command behind an `import()`, and what they share once. */
import { readdir, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

/** Packages of npm are not bundled, except those that match; our own are. */
const npmStaysOutside = (except?: RegExp): Plugin => ({
  name: 'npm-stays-outside',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || path.startsWith('@drover/') || except?.test(path)
        ? undefined
        : { path, external: true },
    );
  },
});

/** A process of our own as plain JavaScript, which runs faster than what a loader translates. */
export const workerBundle: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  plugins: [npmStaysOutside()],
  logLevel: 'warning',
};

/** Packages in CommonJS that are bundled ask for Node's own modules by `require`. */
export const commonJs = {
  js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
};

/** Small ones that are loaded at each start, or by no other package. */
const bundled = /^(commander|yaml|hono|@hono\/node-server|fflate)(\/|$)/;
const outdir = 'apps/drover/dist';

/** Returns what was read for it, for the list of packages that it needs. */
export async function buildDrover(): Promise<Metafile> {
  const { metafile } = await build({
    ...workerBundle,
    entryPoints: {
      drover: 'apps/drover/src/entry.ts',
      'replay-worker': 'packages/local/src/what-if/replay/replay-worker.ts',
      'what-if-worker': 'packages/local/src/what-if/desk/what-if-worker.ts',
      'world-worker': 'packages/local/src/local/travel/world-worker.ts',
    },
    outdir,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    metafile: true,
    plugins: [npmStaysOutside(bundled)],
    banner: commonJs,
  });
  const names = new Set(Object.keys(metafile.outputs).map((path) => basename(path)));
  const stale = (await readdir(outdir)).filter((name) => !names.has(name));
  await Promise.all(stale.map((name) => rm(`${outdir}/${name}`, { recursive: true, force: true })));
  return metafile;
}
