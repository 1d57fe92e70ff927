/** The packages for npm, each as a folder: what is published, without sources and tests. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { tree as droverTree } from '../../apps/drover/src/tree/tree.ts';
import { buildDrover, buildLocal } from '../build/drover.ts';
import { root, version } from '../build/version.ts';
import { commandPage, manualPages } from './debian/manual-page.ts';
import { compileConstructs, constructsManifest, writeConstructs } from './languages/constructs-package.ts';
import { whereabouts } from './published.ts';

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly engines: object;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;

/**
 * The programs that synthesis packs into a stack; a package keeps the paths of the repository
 * (packages/constructs/src/programs.ts).
 */
const programs = [
  'apps/functions/dist',
  'apps/runner-agent/dist',
  'apps/cluster-cli/dist',
  'puppet',
  ...['bin', 'boot.py', 'fetch-node.mjs', 'node-runtime.json', 'spot-notice.py'].map(
    (name) => `packages/constructs/src/boot/${name}`,
  ),
];

/** Writes the folders of all packages into `outdir`; everything has to be built. */
export async function writePackages(outdir: string): Promise<readonly string[]> {
  rmSync(outdir, { recursive: true, force: true });
  await buildDrover();
  const needs = localNeeds(await buildLocal());
  const folders = [
    await constructs(join(outdir, 'constructs')),
    drover(join(outdir, 'drover')),
    local(join(outdir, 'local'), needs),
    clusterCli(join(outdir, 'cluster-cli')),
  ];
  return folders;
}

async function constructs(folder: string): Promise<string> {
  await writeConstructs(root, folder);
  copy(folder, programs);
  finish(folder, 'packages/constructs', constructsManifest);
  compileConstructs(folder);
  settleModes(folder);
  return folder;
}

/** The operator's command: nothing of npm, no CDK, no embedded cloud. */
function drover(folder: string): string {
  copy(folder, ['apps/drover/bin', 'apps/drover/dist', 'apps/console/dist']);
  return finish(folder, 'apps/drover', {
    name: 'drover',
    description: 'Operates runner fleets and search clusters on AWS',
    keywords: ['aws', 'github-actions', 'self-hosted-runner', 'elasticsearch'],
    bin: { drover: 'apps/drover/bin/drover.js' },
    man: manual(folder, 'drover'),
    exports: { './package.json': './package.json' },
    peerDependencies: { '@drover/local': version },
    peerDependenciesMeta: { '@drover/local': { optional: true } },
  });
}

/** The laptop's part of the command, which finds it when it is installed beside it. */
function local(folder: string, dependencies: Readonly<Record<string, string>>): string {
  copy(folder, ['packages/local/dist', 'apps/console/dist', ...programs]);
  copy(folder, ['examples/what-if', 'examples/runner-fleet/fleet.yaml', 'examples/search-cluster/cluster.yaml']);
  return finish(folder, 'packages/local', {
    name: '@drover/local',
    description: 'drover local, synth and what-if: runner fleets and search clusters on an embedded cloud',
    keywords: ['aws', 'github-actions', 'self-hosted-runner', 'elasticsearch', 'simulation'],
    exports: { './bundle': './packages/local/dist/local.mjs', './package.json': './package.json' },
    dependencies,
  });
}

function clusterCli(folder: string): string {
  copy(folder, ['apps/cluster-cli/bin', 'apps/cluster-cli/dist'], (path) => path.replace('apps/cluster-cli/', ''));
  return finish(folder, 'apps/cluster-cli', {
    name: '@drover/cluster-cli',
    description: 'The management command of a search cluster: health, draining, snapshots, passwords',
    keywords: ['elasticsearch', 'aws', 'cli'],
    bin: { 'cluster-cli': 'bin/cluster-cli.js' },
    man: manual(folder, 'cluster-cli'),
    exports: { './package.json': './package.json' },
  });
}

/** npm shows it to `man` where a command is installed for the whole machine. */
function manual(folder: string, command: string): string {
  const page = `man/${command}.1`;
  mkdirSync(join(folder, 'man'));
  writeFileSync(join(folder, page), command === 'drover' ? commandPage(droverTree) : manualPages[command]!());
  return `./${page}`;
}

function copy(folder: string, paths: readonly string[], to = (path: string) => path): void {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, to(path))), { recursive: true });
    cpSync(join(root, path), join(folder, to(path)), { recursive: true });
  }
}

/** Adds what every package has: its manifest, the README beside its sources, the licence. */
function finish(folder: string, source: string, manifest: object): string {
  const { license, engines } = manifestOf('.');
  const common = { version, license, ...whereabouts, type: 'module', engines, publishConfig: { access: 'public' } };
  const { name, ...rest } = manifest as { readonly name: string };
  const content = JSON.stringify({ name, ...common, ...rest }, undefined, 2);
  writeFileSync(join(folder, 'package.json'), `${content}\n`);
  cpSync(join(root, source, 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  settleModes(folder);
  return folder;
}

/** npm packs files with the modes that they have: without this the builder's umask would be in the archive. */
export function settleModes(path: string): void {
  const status = statSync(path);
  chmodSync(path, status.isDirectory() || status.mode & 0o111 ? 0o755 : 0o644);
  if (status.isDirectory()) for (const name of readdirSync(path)) settleModes(join(path, name));
}

/** The packages that a bundle imports, and those that the embedded cloud loads by their names, in the versions of the repository. */
function localNeeds({ outputs }: Metafile): Record<string, string> {
  const folders = ['apps', 'cloud', 'examples', 'packages'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  const known: Record<string, string> = Object.assign(
    {},
    ...folders
      .filter((folder) => existsSync(join(root, folder, 'package.json')))
      .map((folder) => manifestOf(folder).dependencies),
  );
  const imported = Object.values(outputs).flatMap(({ imports }) =>
    imports.flatMap(({ path, external }) => (external && !path.startsWith('node:') ? [packageOf(path)] : [])),
  );
  const byName = Object.keys(manifestOf('cloud/aws').dependencies!).filter((name) =>
    name.startsWith('@aws-sdk/client-'),
  );
  // Dependencies of CDK besides itself.
  const names = new Set([...imported, ...byName, 'constructs'].filter((name) => name in known));
  return Object.fromEntries([...names].sort().map((name) => [name, known[name]!]));
}

const packageOf = (path: string) => path.split('/', path.startsWith('@') ? 2 : 1).join('/');
