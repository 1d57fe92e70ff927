import { validation } from '../model.ts';

/** A metric math expression, parsed. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 'negate'; readonly of: Expression }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Expression; readonly right: Expression };

/** Weakest first. (CloudWatch User Guide, "Using metric math": operators.) */
const levels: readonly (readonly string[])[] = [
  ['OR', '||'],
  ['AND', '&&'],
  ['==', '!=', '<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '%'],
  ['^'],
];

const tokenPattern =
  /\s*(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|"[^"]*"|'[^']*'|[A-Za-z_]\w*|==|!=|<=|>=|\|\||&&|[-+*/^%<>(),[\]])/y;

/** Parses a metric math expression; what is not understood is refused. */
export function parseExpression(text: string): Expression {
  const tokens = tokensOf(text);
  const expression = parseLevel(tokens, 0);
  if (tokens.length > 0) throw validation(`Error in expression "${text}": unexpected ${tokens[0]}`);
  return expression;
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  const trimmed = text.trimEnd();
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < trimmed.length) {
    const at = tokenPattern.lastIndex;
    const found = tokenPattern.exec(trimmed);
    if (found === null) throw validation(`Error in expression "${text}": cannot read "${trimmed.slice(at, at + 10)}"`);
    tokens.push(found[1]!);
  }
  return tokens;
}

function parseLevel(tokens: string[], level: number): Expression {
  const operators = levels[level];
  if (operators === undefined) return parseUnary(tokens);
  let left = parseLevel(tokens, level + 1);
  while (operators.includes(tokens[0]?.toUpperCase() ?? '')) {
    const operator = tokens.shift()!.toUpperCase();
    left = { kind: 'binary', operator, left, right: parseLevel(tokens, level + 1) };
  }
  return left;
}

function parseUnary(tokens: string[]): Expression {
  if (tokens[0] !== '-') return parsePrimary(tokens);
  tokens.shift();
  return { kind: 'negate', of: parseUnary(tokens) };
}

function parsePrimary(tokens: string[]): Expression {
  const token = tokens.shift();
  if (token === undefined) throw validation('Error in expression: it ends too early');
  if (/^\d/.test(token)) return { kind: 'number', value: Number(token) };
  if (/^["']/.test(token)) return { kind: 'text', value: token.slice(1, -1) };
  if (token === '(') {
    const inner = parseLevel(tokens, 0);
    expect(tokens, ')');
    return inner;
  }
  if (token === '[') return { kind: 'list', items: parseItems(tokens, ']') };
  if (!/^[A-Za-z_]/.test(token)) throw validation(`Error in expression: unexpected ${token}`);
  if (tokens[0] !== '(') return { kind: 'name', name: token };
  tokens.shift();
  return { kind: 'call', name: token.toUpperCase(), args: parseItems(tokens, ')') };
}

function parseItems(tokens: string[], end: string): Expression[] {
  const items: Expression[] = [];
  while (tokens[0] !== end) {
    items.push(parseLevel(tokens, 0));
    if (tokens[0] === ',') tokens.shift();
    else if (tokens[0] !== end) throw validation(`Error in expression: expected ${end}`);
  }
  tokens.shift();
  return items;
}

function expect(tokens: string[], wanted: string): void {
  if (tokens.shift() !== wanted) throw validation(`Error in expression: expected ${wanted}`);
}
