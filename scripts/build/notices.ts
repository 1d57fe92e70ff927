/** The licences of packages of npm whose code is in a bundle: most of them ask that their text comes with each copy. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';

export const noticesFile = 'THIRD-PARTY-NOTICES.txt';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Folders of the packages that a bundle has code of, relative to the repository. */
export function bundledPackages({ outputs }: Metafile): readonly string[] {
  const inputs = Object.values(outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/** Writes the notices into the folder of a bundle, or removes older ones when a bundle is our own code alone. */
export function writeNotices(folder: string, metafile: Metafile): void {
  const packages = bundledPackages(metafile);
  const file = join(root, folder, noticesFile);
  if (packages.length > 0) writeFileSync(file, noticesOf(packages));
  else rmSync(file, { force: true });
}

export function noticesOf(packages: readonly string[]): string {
  const byText = new Map<string, string[]>();
  for (const folder of packages) {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
    const text = licenceText(folder, manifest);
    byText.set(text, [...(byText.get(text) ?? []), `${manifest.name} ${manifest.version} (${manifest.license})`]);
  }
  const sections = [...byText].map(([text, names]) => `${'-'.repeat(80)}\n${names.join('\n')}\n\n${text}\n`);
  return `This software contains code of the following packages.\n\n${sections.join('\n')}`;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

function licenceText(folder: string, { name, license }: Manifest): string {
  const files = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  // Some packages of the AWS SDK name their licence and do not bring it: its text is the same everywhere.
  if (files.length === 0 && license === 'Apache-2.0') return readFileSync(join(root, 'LICENSE'), 'utf8').trim();
  if (files.length === 0) throw new Error(`${name} is bundled and has no licence file: take another package`);
  return files
    .sort()
    .map((file) =>
      readFileSync(join(root, folder, file), 'utf8')
        .replaceAll('\r\n', '\n')
        .trim(),
    )
    .join('\n\n');
}
