import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';

const folders = ['cloud', 'packages', 'apps', 'scripts'];
/** A title that begins so continues a sentence that a log does not show: it must name its subject. */
const subjectless = /^(that|whose|who|which|is|are|can|and|has|does|may|it|of|with|without|by|for|never|not)\b/i;

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

it('every test title names its subject, so that it is understood alone in a log', () => {
  const offenders = testFiles.flatMap((file) =>
    titlesIn(file)
      .filter((title) => subjectless.test(title))
      .map((title) => `${file}: ${title}`),
  );
  expect(testFiles.length).toBeGreaterThan(100);
  expect(offenders).toEqual([]);
});
