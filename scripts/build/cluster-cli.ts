/** Bundles `cluster-cli`: one small file that starts fast, and chunks beside it that are loaded when they are needed. */
import { chmod, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));
const outdir = `${root}apps/cluster-cli/dist`;

/** Heavy modules: parsing them would cost every run what only a few need. */
const chunks: Readonly<Record<string, string>> = {
  'aws-auto-scaling': 'packages/adapters/src/aws/sdk/auto-scaling.ts',
  'aws-ec2': 'packages/adapters/src/aws/sdk/ec2.ts',
  'aws-secrets-manager': 'packages/adapters/src/aws/sdk/secrets-manager.ts',
  'cluster-cli-parser': 'apps/cluster-cli/src/parse/full.ts',
  'cluster-cli-formats': 'apps/cluster-cli/src/formats/encode.ts',
};

const common: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minify: true,
  keepNames: false,
  legalComments: 'none',
  mainFields: ['module', 'main'],
  // `import()` becomes `require`: the loader of ES modules alone would cost more than a chunk.
  supported: { 'dynamic-import': false },
  absWorkingDir: root,
  logLevel: 'warning',
};

/** Leaves chunks out of the main file, and lets Node's own modules be dropped when nothing uses them. */
const splitChunks: Plugin = {
  name: 'chunks',
  setup({ onResolve }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
    onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, kind }) => {
      if (kind !== 'dynamic-import') return undefined;
      const target = fileURLToPath(new URL(path, `file://${resolveDir}/`)).slice(root.length);
      const chunk = Object.entries(chunks).find(([, source]) => source === target)?.[0];
      return chunk === undefined ? undefined : { path: `./${chunk}.cjs`, external: true };
    });
  },
};

/** Writes apps/cluster-cli/dist; answers the path of the command. */
export async function buildClusterCli(): Promise<string> {
  await mkdir(outdir, { recursive: true });
  const file = `${outdir}/cluster-cli.cjs`;
  await Promise.all([
    build({
      ...common,
      entryPoints: ['apps/cluster-cli/src/entry.ts'],
      outfile: file,
      plugins: [splitChunks],
      banner: { js: '#!/usr/bin/env node' },
    }),
    ...Object.entries(chunks).map(([name, source]) =>
      build({ ...common, entryPoints: [source], outfile: `${outdir}/${name}.cjs` }),
    ),
  ]);
  await chmod(file, 0o755);
  return file;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await buildClusterCli());
