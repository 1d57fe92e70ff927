/**
 * Keeps what a release deploys, so that tests of later versions can upgrade from it.
 *
 *   tsx scripts/freeze-release.ts FOLDER ASSEMBLY...
 *
 * Each ASSEMBLY is a folder that `cdk synth` wrote. Of it the templates and the manifests are kept under its own name; assets
 * are compressed and kept once for all, by their hash. What names this machine (stack traces, the tree) is left out.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';

interface Artifact {
  readonly type: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface AssetManifest {
  readonly files: Readonly<Record<string, { source: { path?: string; packaging?: string; executable?: string[] } }>>;
}

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const write = (file: string, content: unknown) => writeFileSync(file, `${JSON.stringify(content, undefined, 1)}\n`);

function freeze(folder: string, assembly: string): void {
  const kept = join(folder, basename(assembly));
  mkdirSync(kept, { recursive: true });
  const { version, artifacts } = read(join(assembly, 'manifest.json')) as {
    readonly version: string;
    readonly artifacts: Readonly<Record<string, Artifact>>;
  };
  const deployed = Object.entries(artifacts).filter(([, { type }]) =>
    ['aws:cloudformation:stack', 'cdk:asset-manifest'].includes(type),
  );
  for (const [, { type, properties }] of deployed)
    if (type === 'cdk:asset-manifest') freezeAssets(folder, assembly, kept, String(properties?.file));
    else copyFileSync(join(assembly, String(properties?.templateFile)), join(kept, String(properties?.templateFile)));
  // The metadata are stack traces.
  const plain = deployed.map(([id, { additionalMetadataFile: _, metadata: __, ...artifact }]: [string, Traced]) => [
    id,
    artifact,
  ]);
  write(join(kept, 'manifest.json'), { version, artifacts: Object.fromEntries(plain) });
}

interface Traced extends Artifact {
  readonly additionalMetadataFile?: string;
  readonly metadata?: unknown;
}

function freezeAssets(folder: string, assembly: string, kept: string, file: string): void {
  const manifest = read(join(assembly, file)) as AssetManifest;
  for (const { source } of Object.values(manifest.files)) {
    // A command with which CDK makes an asset is not run in tests: its name is enough.
    if (source.executable !== undefined) source.executable = source.executable.map((word) => basename(word));
    else if (!source.path!.endsWith('.template.json')) freezeAsset(folder, join(assembly, source.path!));
  }
  write(join(kept, file), manifest);
}

function freezeAsset(folder: string, asset: string): void {
  for (const file of filesIn(asset)) {
    const kept = join(folder, 'assets', `${join(basename(asset), relative(asset, file))}.gz`);
    mkdirSync(join(kept, '..'), { recursive: true });
    if (!existsSync(kept)) writeFileSync(kept, gzipSync(readFileSync(file), { level: 9 }));
  }
}

const filesIn = (path: string): string[] =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesIn(join(path, name))) : [path];

const [folder, ...assemblies] = process.argv.slice(2);
if (folder === undefined || assemblies.length === 0)
  throw new Error('tsx scripts/freeze-release.ts FOLDER ASSEMBLY...');
for (const assembly of assemblies) freeze(folder, assembly);
