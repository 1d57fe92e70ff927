/** Bundles `cluster-cli`: one file that is loaded at each start, and beside it a file for everything behind an `import()`. */
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, transform } from 'esbuild';
import { nodeBundle } from './node-bundle.ts';
import { noticesFile, writeNotices } from './notices.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const outdir = `${root}apps/cluster-cli/dist`;

/** The imports of `entry.ts`. */
const start = ['exit.ts', 'main.ts', 'process-io.ts'];

/** Lets Node's own modules be dropped when nothing uses them. */
const nodeModules: Plugin = {
  name: 'node modules',
  setup({ onResolve }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

/**
 * Makes everything behind an `import()` import the start of the command, which it shares some part of in any case. esbuild
 * then writes one shared file, instead of one for each combination of those that share.
 */
const oneSharedFile: Plugin = {
  name: 'one shared file',
  setup({ onResolve, onLoad, resolve }) {
    const [resolving, split] = ['resolving', 'split'];
    onResolve({ filter: /\.ts$/ }, async ({ path, pluginData, ...options }) => {
      if (options.kind !== 'dynamic-import' || pluginData === resolving) return undefined;
      const resolved = await resolve(path, { ...options, pluginData: resolving });
      return { ...resolved, pluginData: split };
    });
    onLoad({ filter: /\.ts$/ }, async ({ path, pluginData }) => {
      if (pluginData !== split) return undefined;
      const imports = start.map((file) => `\nimport ${JSON.stringify(`${root}apps/cluster-cli/src/${file}`)};`);
      return { contents: `${await readFile(path, 'utf8')}${imports.join('')}\n`, loader: 'ts' };
    });
  },
};

/**
 * esbuild splits only ES modules, but Node loads CommonJS faster: the loader of ES modules alone would cost more than the
 * command. So the files are split first and converted afterwards; what two of them share exists once.
 */
async function bundle(): Promise<{ readonly name: string; readonly code: string }[]> {
  const { outputFiles, metafile } = await build({
    ...nodeBundle,
    format: 'esm',
    splitting: true,
    entryPoints: { 'cluster-cli': 'apps/cluster-cli/src/entry.ts' },
    absWorkingDir: root,
    outdir,
    outExtension: { '.js': '.cjs' },
    plugins: [nodeModules, oneSharedFile],
    write: false,
    metafile: true,
  });
  // esbuild's own functions. Files that use none of them import theirs all the same, which takes time at each start.
  const runtime = Object.entries(metafile.outputs).find(
    ([, { inputs, imports }]) => Object.keys(inputs).length + imports.length === 0,
  );
  writeNotices('apps/cluster-cli/dist', metafile);
  const unused = `import"./${basename(runtime?.[0] ?? '')}";`;
  return await Promise.all(
    outputFiles.map(async ({ path, text }) => {
      const { minify, target, platform } = nodeBundle;
      const options = { format: 'cjs', minify, target, platform, supported: { 'dynamic-import': false } } as const;
      return { name: basename(path), code: (await transform(text.replace(unused, ''), options)).code };
    }),
  );
}

/** Writes apps/cluster-cli/dist and returns the path of the command. */
export async function buildClusterCli(): Promise<string> {
  await mkdir(outdir, { recursive: true });
  const files = await bundle();
  await Promise.all(files.map(({ name, code }) => writeFile(`${outdir}/${name}`, code)));
  const names = new Set(files.map(({ name }) => name));
  // The whole folder is deployed: files of an earlier build must not stay.
  const stale = (await readdir(outdir)).filter((name) => !names.has(name) && name !== noticesFile);
  await Promise.all(stale.map((name) => rm(`${outdir}/${name}`, { force: true })));
  const file = `${outdir}/cluster-cli.cjs`;
  await chmod(file, 0o755);
  return file;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await buildClusterCli());
