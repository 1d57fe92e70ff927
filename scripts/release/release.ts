/** Everything that a release consists of, the same bytes each time it is made from the same commit. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { debianVersion } from '@drover/core/names/version';
import { buildAll } from '../build/all.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { type Entry, filesBelow, writeDebianPackage } from './debian.ts';
import { root, version, writePackages } from './packages.ts';

/** Packs the packages for npm; returns the paths of their tarballs. */
export async function writeTarballs(outdir: string): Promise<readonly string[]> {
  const folders = await writePackages(join(root, '.cache/release/packages'));
  mkdirSync(outdir, { recursive: true });
  return folders.map((folder) => {
    const args = ['pack', folder, '--pack-destination', outdir, '--json', '--ignore-scripts', '--loglevel', 'error'];
    const [packed] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8' })) as [{ readonly filename: string }];
    return join(outdir, packed.filename);
  });
}

const home = 'usr/lib/drover';

/** `cluster-cli` and `runner-agent` with the Node that they run on, for hosts that no stack has set up. */
export function writeDebs(outdir: string, architectures: readonly ('amd64' | 'arm64')[]): readonly string[] {
  const program = (name: string, description: string) =>
    writeDebianPackage(outdir, {
      name,
      version: debianVersion(version),
      architecture: 'all',
      depends: 'drover-node',
      description,
      entries: [
        ...filesBelow(join(root, `apps/${name}/dist`), `${home}/${name}`),
        { path: `${home}/bin/${name}`, content: bootFile(`bin/${name}`), executable: true },
        { path: `usr/bin/${name}`, link: `../lib/drover/bin/${name}` },
        licence(name),
      ],
    });
  return [
    program('cluster-cli', 'management command of a search cluster'),
    program('runner-agent', 'agent of a self-hosted GitHub Actions runner'),
    ...architectures.map((architecture) =>
      writeDebianPackage(outdir, {
        name: 'drover-node',
        version: `${(JSON.parse(String(bootFile('node-runtime.json'))) as { version: string }).version}+drover${debianVersion(version)}`,
        architecture,
        depends: 'libc6, libstdc++6',
        description: 'the Node that cluster-cli and runner-agent run on',
        entries: [
          { path: `${home}/node/bin/node`, content: nodeOf(architecture), executable: true },
          licence('drover-node'),
        ],
      }),
    ),
  ];
}

const bootFile = (name: string) => readFileSync(join(root, 'packages/constructs/src/boot', name));

const licence = (name: string): Entry => ({
  path: `usr/share/doc/${name}/copyright`,
  content: readFileSync(join(root, 'LICENSE')),
});

/** The pinned one, from the configured npm registry unless it was fetched before. */
function nodeOf(architecture: 'amd64' | 'arm64'): Buffer {
  const script = join(root, 'packages/constructs/src/boot/fetch-node.mjs');
  const name = architecture === 'amd64' ? 'x86_64' : 'arm64';
  const archive = execFileSync(process.execPath, [script, name], { encoding: 'utf8' }).trim();
  return execFileSync('tar', ['-xzOf', archive, 'package/bin/node'], { maxBuffer: 1024 ** 3 });
}

/** Writes the release into `outdir`. */
export async function writeRelease(outdir: string): Promise<void> {
  const notes = releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  rmSync(outdir, { recursive: true, force: true });
  await buildAll();
  await writeTarballs(join(outdir, 'npm'));
  writeDebs(join(outdir, 'deb'), ['amd64', 'arm64']);
  const { writeTemplates } = await import('./cloudformation.ts');
  writeTemplates(join(outdir, 'cloudformation'));
  writeFileSync(join(outdir, 'sbom.cdx.json'), billOfMaterials(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  writeFileSync(join(outdir, 'RELEASE-NOTES.md'), notes);
  const files = filesIn(outdir).sort();
  const sums = files.map((file) => `${sha256(file)}  ${relative(outdir, file)}\n`);
  writeFileSync(join(outdir, 'SHA256SUMS'), sums.join(''));
}

const sha256 = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

const filesIn = (path: string): string[] =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesIn(join(path, name))) : [path];

/**
 * The changelog's section of a version. What is not released yet is in a section of its own until the version is settled: notes are made of
 * it only for a version that says so (`-dev`), and a settled version is refused while anything is in it.
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m).map((section) => {
    const [, title, text = ''] = /^## \[([^\]]+)\][^\n]*\n(.*)$/s.exec(section) ?? [];
    return { title, text: text.trim() };
  });
  const textOf = (title: string) => sections.find((section) => section.title === title)?.text;
  const [unreleased = '', own] = [textOf('Unreleased'), textOf(version)];
  if (own === undefined && !version.includes('-'))
    throw new Error(`CHANGELOG.md has no section [${version}]: give what is in [Unreleased] that title and a date`);
  if (own !== undefined && unreleased !== '')
    throw new Error(
      `CHANGELOG.md has changes in [Unreleased] that are not in [${version}]: set the next version with scripts/release/set-version.ts`,
    );
  return `# Drover ${version}\n\n${own ?? unreleased}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const outdir = join('release', version);
  await writeRelease(outdir);
  console.log(`${outdir}: sha256sum --check SHA256SUMS verifies it`);
}
