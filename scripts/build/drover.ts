/** Bundles `drover`, and @drover/local with the processes that it starts: a file for each `import()`, and what they share once. */
import { readdir, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { builtCommit } from './built-commit.ts';
import { nodeBundle } from './node-bundle.ts';
import { noticesFile, writeNotices } from './notices.ts';

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

/** The laptop's part is found when it is installed beside the command, as plain JavaScript. */
const localStaysOutside: Plugin = {
  name: 'local-stays-outside',
  setup({ onResolve }) {
    onResolve({ filter: /^@drover\/local$/ }, () => ({ path: '@drover/local/bundle', external: true }));
  },
};

/** Small ones that are loaded at each start, or by no other package. */
const bundled = /^(yaml|hono|@hono\/node-server|fflate)(\/|$)/;

/** The operator's command with everything that it needs of npm in it: an installation of it is this folder alone. */
export async function buildDrover(): Promise<void> {
  await buildInto('apps/drover/dist', {
    ...nodeBundle,
    format: 'esm',
    entryPoints: { drover: 'apps/drover/src/entry.ts' },
    plugins: [localStaysOutside],
    define: definition(builtCommit()),
  });
}

const definition = (commit: string | undefined): Record<string, string> =>
  commit === undefined ? {} : { droverCommit: JSON.stringify(commit) };

/** Returns what was read for it, for the list of packages that it needs. */
export async function buildLocal(): Promise<Metafile> {
  return await buildInto('packages/local/dist', {
    ...workerBundle,
    entryPoints: {
      local: 'packages/local/src/index.ts',
      'replay-worker': 'packages/local/src/what-if/replay/replay-worker.ts',
      'what-if-worker': 'packages/local/src/what-if/desk/what-if-worker.ts',
      'world-worker': 'packages/local/src/local/travel/world-worker.ts',
    },
    plugins: [npmStaysOutside(bundled)],
  });
}

async function buildInto(outdir: string, options: BuildOptions): Promise<Metafile> {
  const { metafile } = await build({
    ...options,
    outdir,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    metafile: true,
    banner: commonJs,
  });
  writeNotices(outdir, metafile);
  const names = new Set([noticesFile, ...Object.keys(metafile.outputs).map((path) => basename(path))]);
  const stale = (await readdir(outdir)).filter((name) => !names.has(name));
  await Promise.all(stale.map((name) => rm(`${outdir}/${name}`, { recursive: true, force: true })));
  return metafile;
}
