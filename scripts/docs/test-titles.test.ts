import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';

const folders = ['cloud', 'packages', 'apps', 'scripts'];
/** A title that begins so continues a sentence that a log does not show: it must name its subject. */
const subjectless = /^(that|whose|who|which|is|are|can|and|has|does|may|it)\b/i;
/** Titles that are still to be reworded, at most so many in a folder. Entries only become smaller and go. */
const allowed: Readonly<Record<string, number>> = {
  'apps/cluster-cli': 22,
  'cloud/aws': 7,
  'cloud/elasticsearch': 24,
  'cloud/engine': 2,
  'cloud/github': 6,
  'cloud/machines': 2,
  'packages/adapters': 9,
  'packages/constructs': 12,
  'packages/core': 6,
  'packages/fleet-runtime': 1,
  'packages/formats': 2,
  'packages/search-cluster': 5,
  'packages/simulation': 8,
  scripts: 1,
};

const testFiles = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.tsx?$/.test(name) && !/(^|\/)(node_modules|dist)\//.test(name))
    .map((name) => `${folder}/${name}`),
);

/** The titles of `it`, `test` and their variants, such as `it.each(…)`. */
function titlesIn(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, false);
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(it|test)\b/.test(node.expression.getText(source))) {
      const [title] = node.arguments;
      if (title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title)))
        titles.push(title.getText(source).slice(1, -1));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

const folderOf = (file: string) => (file.startsWith('scripts/') ? 'scripts' : file.split('/').slice(0, 2).join('/'));

it('every test title names its subject, so that it is understood alone in a log', () => {
  const offenders = testFiles.flatMap((file) =>
    titlesIn(file)
      .filter((title) => subjectless.test(title))
      .map((title) => ({ folder: folderOf(file), line: `${file}: ${title}` })),
  );
  const inFolder = (folder: string) => offenders.filter((one) => one.folder === folder).length;
  const notAllowed = offenders.filter(({ folder }) => inFolder(folder) > (allowed[folder] ?? 0));
  expect(testFiles.length).toBeGreaterThan(100);
  expect(notAllowed.map(({ line }) => line)).toEqual([]);
});
