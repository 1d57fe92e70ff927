/** The package of the constructs: CommonJS, compiled by jsii over the bundle of their sources, for TypeScript and every language of the CDK. */
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { workerBundle } from '../../build/drover.ts';
import { writeNotices } from '../../build/notices.ts';
import { faceOf, writeFace } from './face.ts';
import { friendly } from './friendly.ts';
import { installToolchain, lowest, runTool } from './toolchain.ts';

/** Names of the package in other languages, which no one can own: decision 86. */
const targets = {
  python: { distName: 'drover-constructs', module: 'drover_constructs' },
  go: { moduleName: 'drover', packageName: 'droverconstructs' },
  java: { package: 'drover.constructs', maven: { groupId: 'drover', artifactId: 'drover-constructs' } },
  dotnet: { namespace: 'Drover.Constructs', packageId: 'Drover.Constructs' },
};

export const constructsManifest = {
  name: '@drover/constructs',
  description:
    'AWS CDK constructs: autoscaled fleets of self-hosted GitHub Actions runners, and Elasticsearch clusters',
  keywords: ['aws', 'cdk', 'github-actions', 'self-hosted-runner', 'elasticsearch'],
  type: 'commonjs',
  main: './lib/index.js',
  types: './lib/index.d.ts',
  exports: {
    '.': { types: './lib/index.d.ts', default: './lib/index.js' },
    './package.json': './package.json',
    './.jsii': './.jsii',
  },
  sideEffects: false,
  peerDependencies: Object.fromEntries(Object.entries(lowest).map(([name, version]) => [name, `^${version}`])),
  devDependencies: lowest,
  stability: 'stable',
  author: { name: 'Drover', organization: true },
  jsii: {
    outdir: 'dist',
    versionFormat: 'full',
    tsc: { inlineSourceMap: false, inlineSources: false },
    excludeTypescript: ['apps', 'packages', 'puppet', 'dist'],
    targets,
  },
};

/** Before anything of the CDK is used: an older one drops what it does not know from templates, without a word. */
const needsCdk = `const importMetaUrl = require('node:url').pathToFileURL(__filename).href;
{
  const { version } = require('aws-cdk-lib/package.json');
  const [least, found] = ['${lowest['aws-cdk-lib']}', version].map((text) => text.split(/[.-]/).map(Number));
  if (found[0] < least[0] || (found[0] === least[0] && found[1] < least[1]))
    throw new Error(\`Drover needs aws-cdk-lib ${lowest['aws-cdk-lib']} or newer, and \${version} is installed. Install aws-cdk-lib@^${lowest['aws-cdk-lib']}\`);
}`;

/** Writes the sources of the package into `folder`, before its manifest is there. */
export async function writeConstructs(root: string, folder: string): Promise<void> {
  const face = faceOf(root, 'packages/constructs/src/index.ts');
  writeFace(face, join(folder, 'lib'));
  const { metafile } = await build({
    ...workerBundle,
    stdin: { contents: face.entry, resolveDir: join(root, 'scripts'), loader: 'ts' },
    format: 'cjs',
    metafile: true,
    outfile: join(folder, 'lib/impl.js'),
    plugins: [],
    external: ['aws-cdk-lib', 'constructs'],
    banner: { js: needsCdk },
    define: { 'import.meta.url': 'importMetaUrl' },
    absWorkingDir: root,
  });
  writeNotices(relative(root, join(folder, 'lib')), metafile);
}

/** Compiles the package, with its manifest in it; leaves what is published. */
export function compileConstructs(folder: string): void {
  const modules = join(folder, 'node_modules');
  symlinkSync(installToolchain(), modules);
  runTool('jsii', ['--fail-on-warnings=false'], folder);
  for (const name of ['index.d.ts', 'impl.d.ts']) {
    const file = join(folder, 'lib', name);
    writeFileSync(file, friendly(readFileSync(file, 'utf8'), readFileSync(join(folder, 'lib/index.ts'), 'utf8')));
  }
  for (const name of ['node_modules', 'lib/index.ts', 'tsconfig.json', 'tsconfig.tsbuildinfo', '.npmignore'])
    rmSync(join(folder, name), { recursive: true, force: true });
}
