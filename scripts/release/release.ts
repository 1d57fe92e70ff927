/** Everything that a release consists of, the same bytes each time it is made from the same commit. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAll } from '../build/all.ts';
import { root, version } from '../build/version.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { signatures, writeAptRepository } from './debian/apt-repository.ts';
import { commitTime, writeDebs } from './debian/packages.ts';
import { writeLanguages } from './languages/languages.ts';
import { writePackages } from './packages.ts';
import { sources, whyNotReleased } from './releasable.ts';

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

/** Writes what users install with the package managers of their languages; returns the tarballs for npm. */
export async function writeInstallable(outdir: string): Promise<readonly string[]> {
  const tarballs = await writeTarballs(join(outdir, 'npm'));
  writeLanguages(join(root, '.cache/release/packages/constructs'), outdir, join(root, '.cache/release/languages'));
  return tarballs;
}

/** Writes the release into `outdir`. */
export async function writeRelease(outdir: string): Promise<void> {
  const notes = releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  rmSync(outdir, { recursive: true, force: true });
  await buildAll();
  await writeInstallable(outdir);
  writeDebs(join(outdir, 'deb'), ['amd64', 'arm64']);
  const key = process.env.DROVER_APT_KEY;
  writeAptRepository(join(outdir, 'deb'), version, commitTime(), key);
  if (key === undefined) console.log('DROVER_APT_KEY is not set: the repository for apt in deb/ is not signed');
  const { writeTemplates } = await import('./cloudformation.ts');
  writeTemplates(join(outdir, 'cloudformation'));
  const { writeModules } = await import('./terraform/modules.ts');
  writeModules(join(outdir, 'terraform'), join(outdir, 'cloudformation'));
  writeFileSync(join(outdir, 'sbom.cdx.json'), billOfMaterials(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  writeFileSync(join(outdir, 'RELEASE-NOTES.md'), notes);
  writeSums(outdir);
}

/** Writes the checksums of all files in a folder but signatures, which differ each time. */
export function writeSums(outdir: string): void {
  const files = filesIn(outdir)
    .filter((file) => !signatures.includes(basename(file)))
    .sort();
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
      `CHANGELOG.md has changes in [Unreleased] that are not in [${version}]: set the next version with npm run set-version`,
    );
  return `# Drover ${version}\n\n${own ?? unreleased}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const outdir = join('release', version);
  const refused = whyNotReleased(version, sources(version));
  if (refused !== undefined) throw new Error(refused);
  await writeRelease(outdir);
  console.log(`${outdir}: sha256sum --check SHA256SUMS verifies it`);
}
