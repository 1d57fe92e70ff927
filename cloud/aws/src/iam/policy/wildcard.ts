/** A pattern of policies: literal text in which some characters are wildcards. */
export interface Pattern {
  matches(text: string): boolean;
}

/** One piece of a pattern: literal characters, or a wildcard. Kept apart so that text from a variable is never a wildcard. */
export type PatternPart = string | typeof anyText | typeof anyCharacter;

const anyText = Symbol('*');
const anyCharacter = Symbol('?');

/** Splits pattern text at its wildcards `*` and `?`. */
export function wildcardParts(text: string): PatternPart[] {
  const parts: PatternPart[] = [];
  for (const piece of text.split(/([*?])/)) {
    if (piece === '*') parts.push(anyText);
    else if (piece === '?') parts.push(anyCharacter);
    else if (piece !== '') parts.push(piece);
  }
  return parts;
}

/** A pattern from its pieces; the common forms (literal, everything, prefix) get their own quick test. */
export function patternOf(parts: readonly PatternPart[]): Pattern {
  if (parts.every((part) => typeof part === 'string')) {
    const literal = parts.join('');
    return { matches: (text) => text === literal };
  }
  if (parts.length === 1 && parts[0] === anyText) return { matches: () => true };
  if (parts.length === 2 && typeof parts[0] === 'string' && parts[1] === anyText) {
    const [prefix] = parts;
    return { matches: (text) => text.startsWith(prefix) };
  }
  const symbols = parts.flatMap((part): readonly (typeof part)[] =>
    typeof part === 'string' ? part.split('') : [part],
  );
  return { matches: (text) => matchSymbols(symbols, text) };
}

export const pattern = (text: string): Pattern => patternOf(wildcardParts(text));

/** Greedy with one point of return: time grows with text × pattern at worst, never exponentially. */
function matchSymbols(symbols: readonly (string | symbol)[], text: string): boolean {
  let at = 0;
  let symbol = 0;
  let returnSymbol = -1;
  let returnAt = 0;
  while (at < text.length) {
    const wanted = symbols[symbol];
    if (wanted === anyText) {
      returnSymbol = symbol++;
      returnAt = at;
    } else if (wanted === anyCharacter || wanted === text[at]) {
      symbol += 1;
      at += 1;
    } else if (returnSymbol >= 0) {
      symbol = returnSymbol + 1;
      at = ++returnAt;
    } else return false;
  }
  while (symbols[symbol] === anyText) symbol += 1;
  return symbol === symbols.length;
}
