import { invalidParameter, type LineMatcher } from './model.ts';

/**
 * Compiles a filter pattern: terms, or `{ $.field = "value" }` for JSON lines. Space-delimited patterns (`[…]`) are
 * refused. (CloudWatch Logs User Guide, "Filter pattern syntax for metric filters, subscription filters, filter log
 * events, and Live Tail".)
 */
export function compileFilter(pattern: string): LineMatcher {
  const text = pattern.trim();
  if (text === '') return () => true;
  if (text.startsWith('{')) return jsonFilter(text);
  if (text.startsWith('['))
    throw invalidParameter('the embedded cloud does not model space-delimited filter patterns ([…])');
  return termFilter(text);
}

/** All plain terms, at least one of the `?` terms, none of the `-` terms; case counts. */
function termFilter(text: string): LineMatcher {
  const terms = [...text.matchAll(/([?-]?)(?:"((?:[^"\\]|\\.)*)"|%([^%]+)%|([^\s"]+))/g)].map(
    ([, sign, quoted, expression, plain]) => ({ sign, holds: termTest(quoted, expression, plain) }),
  );
  const required = terms.filter(({ sign }) => sign === '');
  const optional = terms.filter(({ sign }) => sign === '?');
  const excluded = terms.filter(({ sign }) => sign === '-');
  return (message) =>
    required.every(({ holds }) => holds(message)) &&
    !excluded.some(({ holds }) => holds(message)) &&
    (optional.length === 0 || required.length > 0 || optional.some(({ holds }) => holds(message)));
}

function termTest(quoted: string | undefined, expression: string | undefined, plain: string | undefined): LineMatcher {
  if (expression !== undefined) {
    const regular = new RegExp(expression);
    return (message) => regular.test(message);
  }
  const wanted = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '';
  return (message) => message.includes(wanted);
}

type Condition = (line: unknown) => boolean;

function jsonFilter(text: string): LineMatcher {
  if (!text.endsWith('}')) throw invalidParameter('Invalid filter pattern: a JSON pattern must end with }');
  const tokens = tokensOf(text.slice(1, -1));
  const condition = parseOr(tokens);
  if (tokens.length > 0) throw invalidParameter(`Invalid filter pattern: unexpected ${tokens[0]}`);
  return (message) => {
    if (!message.trimStart().startsWith('{')) return false;
    try {
      return condition(JSON.parse(message));
    } catch {
      return false;
    }
  };
}

const tokenPattern = /\s*("(?:[^"\\]|\\.)*"|%[^%]+%|&&|\|\||[()]|!=|>=|<=|=|>|<|\$[^\s=!<>()&|]*|[^\s=!<>()&|]+)/y;

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  tokenPattern.lastIndex = 0;
  const trimmed = text.trimEnd();
  while (tokenPattern.lastIndex < trimmed.length) {
    const found = tokenPattern.exec(trimmed);
    if (found === null) throw invalidParameter(`Invalid filter pattern: ${text}`);
    tokens.push(found[1]!);
  }
  return tokens;
}

function parseOr(tokens: string[]): Condition {
  const options = [parseAnd(tokens)];
  while (tokens[0] === '||' && tokens.shift()) options.push(parseAnd(tokens));
  return (line) => options.some((option) => option(line));
}

function parseAnd(tokens: string[]): Condition {
  const parts = [parseTerm(tokens)];
  while (tokens[0] === '&&' && tokens.shift()) parts.push(parseTerm(tokens));
  return (line) => parts.every((part) => part(line));
}

function parseTerm(tokens: string[]): Condition {
  if (tokens[0] === '(') {
    tokens.shift();
    const inner = parseOr(tokens);
    if (tokens.shift() !== ')') throw invalidParameter('Invalid filter pattern: ) is missing');
    return inner;
  }
  const [field, operator] = [tokens.shift() ?? '', (tokens.shift() ?? '').toUpperCase()];
  if (!field.startsWith('$')) throw invalidParameter(`Invalid filter pattern: ${field} is not a field`);
  const read = (line: unknown) => fieldAt(line, field);
  if (operator === 'IS') return isTest(read, (tokens.shift() ?? '').toUpperCase());
  if (operator === 'NOT' && tokens.shift()?.toUpperCase() === 'EXISTS') return (line) => read(line) === undefined;
  return comparison(read, operator, tokens.shift() ?? '');
}

function isTest(read: (line: unknown) => unknown, what: string): Condition {
  const wanted = ({ TRUE: true, FALSE: false, NULL: null } as Readonly<Record<string, unknown>>)[what];
  if (wanted === undefined) throw invalidParameter(`Invalid filter pattern: IS ${what}`);
  return (line) => read(line) === wanted;
}

function comparison(read: (line: unknown) => unknown, operator: string, operand: string): Condition {
  const text = operand.startsWith('"') ? operand.slice(1, -1).replace(/\\(.)/g, '$1') : operand;
  const number = operand.startsWith('"') ? Number.NaN : Number(operand);
  if (operator === '=' || operator === '!=') {
    const equal = equality(text, number, operand);
    // A line without the field matches neither.
    return (line) => read(line) !== undefined && equal(read(line)) === (operator === '=');
  }
  const test = ordered[operator];
  if (test === undefined || Number.isNaN(number))
    throw invalidParameter(`Invalid filter pattern: ${operator} ${operand}`);
  return (line) => typeof read(line) === 'number' && test(read(line) as number, number);
}

const ordered: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
};

/** Strings may hold `*`; a bare number compares as a number. */
function equality(text: string, number: number, operand: string): (value: unknown) => boolean {
  const source = operand.startsWith('%')
    ? operand.slice(1, -1)
    : `^${text.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*')}$`;
  const expression = new RegExp(source, 's');
  return (value) => (typeof value === 'number' ? value === number : expression.test(String(value)));
}

/** `$.a.b[0]`, `$.['a.b']`. */
function fieldAt(line: unknown, path: string): unknown {
  let at: unknown = line;
  for (const [, name, index, quoted] of path.slice(1).matchAll(/\.?([^.[\]]+)|\[(\d+)\]|\['?([^'\]]+)'?\]/g)) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Record<string, unknown>)[(name ?? index ?? quoted)!];
  }
  return at;
}
