/** Bundles `cluster-cli`: one file with all commands, and beside it the large libraries that few runs load. */
import { chmod, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { nodeBundle } from './node-bundle.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const outdir = `${root}apps/cluster-cli/dist`;

/** Modules with a large library: parsing them would cost every run what only a few need. */
const large: Readonly<Record<string, string>> = {
  'aws-auto-scaling': 'packages/adapters/src/aws/calls/sdk/auto-scaling.ts',
  'aws-cloudwatch': 'packages/adapters/src/aws/calls/sdk/cloudwatch.ts',
  'aws-ec2': 'packages/adapters/src/aws/calls/sdk/ec2.ts',
  'aws-secrets-manager': 'packages/adapters/src/aws/calls/sdk/secrets-manager.ts',
  'cluster-cli-formats': 'apps/cluster-cli/src/formats/encode.ts',
};

const common: BuildOptions = {
  ...nodeBundle,
  // `import()` becomes `require`: the loader of ES modules alone would cost more than a chunk.
  supported: { 'dynamic-import': false },
  absWorkingDir: root,
};

/** Leaves the large modules out of the main file, and lets Node's own modules be dropped when nothing uses them. */
const splitting = (chunks: Readonly<Record<string, string>>): Plugin => ({
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
});

const bundle = (name: string, source: string, chunks: Readonly<Record<string, string>>) =>
  build({ ...common, entryPoints: [source], outfile: `${outdir}/${name}.cjs`, plugins: [splitting(chunks)] });

/** Writes apps/cluster-cli/dist and returns the path of the command. */
export async function buildClusterCli(): Promise<string> {
  await mkdir(outdir, { recursive: true });
  await Promise.all([
    bundle('cluster-cli', 'apps/cluster-cli/src/entry.ts', large),
    ...Object.entries(large).map(([name, source]) => bundle(name, source, {})),
  ]);
  const file = `${outdir}/cluster-cli.cjs`;
  await chmod(file, 0o755);
  return file;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await buildClusterCli());
