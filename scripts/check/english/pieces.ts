import ts from 'typescript';

/** A text that people read: a comment, the title of a test, another string of a program, or a paragraph of a document. */
export interface Piece {
  readonly kind: 'comment' | 'title' | 'string' | 'markdown';
  readonly line: number;
  /** On one line, without the marks of a comment or the quotes of a string. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Comments, titles and strings of a program. */
export function piecesOfProgram(file: string, text: string): Piece[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false);
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const pieces: Piece[] = [];
  const literals: [start: number, end: number][] = [];
  const visit = (node: ts.Node, inTitle: boolean): void => {
    const start = isText(node) ? node.getStart(source) : 0;
    if (isLiteral(node)) literals.push([node.getStart(source), node.end]);
    if (isText(node)) {
      const content = ts.isJsxText(node) ? node.text : text.slice(start + 1, node.end - 1);
      const kind = inTitle ? 'title' : 'string';
      if (/\S\s+\S/.test(content))
        pieces.push({
          kind,
          line: lineAt(start),
          text: flat(content.replace(/\$\{[^}]*\}/g, '…')),
          start,
          end: node.end,
        });
    }
    const title = ts.isCallExpression(node) && isTest(node.expression.getText(source)) ? node.arguments[0] : undefined;
    ts.forEachChild(node, (child) => visit(child, child === title));
  };
  visit(source, false);
  return [...pieces, ...comments(text, literals, lineAt)].sort((a, b) => a.start - b.start);
}

const isTest = (callee: string) => /^(it|test|describe)\b/.test(callee);
const isText = (node: ts.Node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isJsxText(node);
const isLiteral = (node: ts.Node) =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddleOrTemplateTail(node) ||
  ts.isRegularExpressionLiteral(node) ||
  ts.isJsxText(node);
const flat = (text: string) => text.replace(/\s+/g, ' ').trim();

/** The comments between the literals: blocks, and lines of `//` that follow one another as one comment. */
function comments(text: string, literals: readonly [number, number][], lineAt: (position: number) => number): Piece[] {
  let code = '';
  for (const [start, end] of literals) code += text.slice(code.length, start) + ' '.repeat(Math.max(0, end - start));
  code += text.slice(code.length);
  return [...code.matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g)].map((match) => {
    const end = match.index + match[0].length;
    const marks = match[0].startsWith('/*') ? /^\/\*+|[ \t]*\*+\/$|^[ \t]*\*/gm : /^[ \t]*\/\//gm;
    const inside = text.slice(match.index, end).replace(marks, '');
    return { kind: 'comment', line: lineAt(match.index), text: flat(inside), start: match.index, end };
  });
}

/** Paragraphs, list items and table rows of a document, without its code. */
export function piecesOfDocument(text: string): Piece[] {
  const pieces: Piece[] = [];
  let fenced = false;
  let start = 0;
  let open: { line: number; start: number; lines: string[] } | undefined;
  const close = () => {
    if (open)
      pieces.push({
        kind: 'markdown',
        ...open,
        end: open.start + open.lines.join('\n').length,
        text: flat(open.lines.join(' ')),
      });
    open = undefined;
  };
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^\s*(```|~~~)/.test(line);
    if (fence) fenced = !fenced;
    const alone = /^\s*(\||#|[-*] |\d+\. |>)/.test(line);
    if (fence || fenced || line.trim() === '' || alone) close();
    if (!fence && !fenced && line.trim() !== '') {
      open ??= { line: index + 1, start, lines: [] };
      open.lines.push(line);
    }
    start += line.length + 1;
  }
  close();
  return pieces.map(({ kind, line, text: content, start: from, end }) => ({
    kind,
    line,
    text: content.replace(/`[^`]*`/g, '`…`'),
    start: from,
    end,
  }));
}
