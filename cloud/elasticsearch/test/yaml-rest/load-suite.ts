import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';

export type Step = Readonly<Record<string, unknown>>;

/** One test of the suite, with what runs before and after it. */
export interface YamlCase {
  readonly file: string;
  readonly name: string;
  readonly setup: readonly Step[];
  readonly steps: readonly Step[];
  readonly teardown: readonly Step[];
}

/** The official tests lie beside the checkout, not in it; the folder may be missing. */
export const suiteFolder = join(import.meta.dirname, '../../../../../shared/contracts/elasticsearch-yaml');

export const suiteExists = () => existsSync(suiteFolder);

export function loadSuite(folder = suiteFolder): YamlCase[] {
  return yamlFiles(folder).flatMap((path) => loadFile(path, relative(folder, path)));
}

function yamlFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory()
        ? yamlFiles(join(folder, entry.name))
        : /\.ya?ml$/.test(entry.name)
          ? [join(folder, entry.name)]
          : [],
    );
}

function loadFile(path: string, file: string): YamlCase[] {
  const documents = parseAllDocuments(readFileSync(path, 'utf8'), { uniqueKeys: false }).map(
    (document) => document.toJS() as Record<string, Step[]> | null,
  );
  const sections = documents.flatMap((document) => (document === null ? [] : Object.entries(document)));
  const part = (name: string) => sections.filter(([key]) => key === name).flatMap(([, steps]) => steps);
  return sections
    .filter(([name]) => name !== 'setup' && name !== 'teardown')
    .map(([name, steps]) => ({ file, name, setup: part('setup'), steps, teardown: part('teardown') }));
}
