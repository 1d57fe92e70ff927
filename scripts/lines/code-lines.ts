import ts from 'typescript';

const sources = /^(cloud|packages|apps|examples|bench|scripts)\/.*\.tsx?$/;
const notCounted =
  /(\.test\.tsx?$|\/test\/|\/testing\/|\/src\/testing\.ts$|test-support|-fixture\.ts$|\/generated\/|\.generated\.ts$|^scripts\/test\/)/;

/** Code of the project: no tests, generated files or data. */
export const isCounted = (file: string): boolean => sources.test(file) && !notCounted.test(file);

/** Number of lines that hold a token of code: no comments, no blank lines. */
export function codeLines(file: string, text: string): number {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false);
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isToken(node) || node.kind === ts.SyntaxKind.JsxText) {
      if (node.kind === ts.SyntaxKind.EndOfFileToken) return;
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
      const last = source.getLineAndCharacterOfPosition(node.getEnd()).line;
      for (let line = first; line <= last; line++) lines.add(line);
      return;
    }
    for (const child of node.getChildren(source)) if (!isComment(child)) visit(child);
  };
  visit(source);
  return lines.size;
}

const isComment = (node: ts.Node) =>
  node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode;
