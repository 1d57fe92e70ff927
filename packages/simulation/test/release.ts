import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const fixtures = fileURLToPath(new URL('fixtures', import.meta.url));

/** An example of which a release is kept. */
export type ReleasedExample = 'runner-fleet' | 'search-cluster' | 'local';

/**
 * Writes the cloud assembly of an example, as a release deployed it, into a folder that exists; returns the folder.
 * `replacing` holds names of the template and what stands for them in a world, such as the ids of its network.
 */
export function unpackRelease(
  release: '0.1.0',
  example: ReleasedExample,
  folder: string,
  replacing: Readonly<Record<string, string>> = {},
): string {
  const kept = join(fixtures, `release-${release}`);
  for (const file of filesIn(join(kept, example)))
    writeFileSync(join(folder, relative(join(kept, example), file)), replaced(readFileSync(file, 'utf8'), replacing));
  for (const file of filesIn(join(kept, 'assets'))) {
    const asset = join(folder, relative(join(kept, 'assets'), file).replace(/\.gz$/, ''));
    mkdirSync(dirname(asset), { recursive: true });
    writeFileSync(asset, gunzipSync(readFileSync(file)));
  }
  return folder;
}

/** The source of a program of a release, as scripts/freeze-programs.ts kept it. */
export const releasedProgram = (release: '0.1.0', name: 'cluster-cli'): string =>
  gunzipSync(readFileSync(join(fixtures, `release-${release}/programs/${name}.cjs.gz`))).toString('utf8');

const replaced = (text: string, replacing: Readonly<Record<string, string>>): string =>
  Object.entries(replacing).reduce((all, [name, instead]) => all.replaceAll(name, instead), text);

const filesIn = (path: string): string[] =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesIn(join(path, name))) : [path];
