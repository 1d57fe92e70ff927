import { allowed, type Pattern, patterns } from './patterns.ts';
import { type Piece, piecesOfDocument, piecesOfProgram } from './pieces.ts';

export interface Mark {
  readonly file: string;
  readonly piece: Piece;
  readonly pattern: Pattern;
}

/** The texts of a file that people read. */
export const piecesOf = (file: string, text: string): readonly Piece[] =>
  file.endsWith('.md') ? piecesOfDocument(text) : piecesOfProgram(file, text);

/** The patterns that a piece of a file matches, without the uses that are allowed there. */
export function patternsIn(file: string, { kind, text }: Piece): readonly Pattern[] {
  const read = allowed
    .filter((use) => file.startsWith(use.file))
    .reduce((rest, use) => rest.replace(new RegExp(use.text, 'g'), '…'), text.replace(/`[^`]*`/g, '`…`'));
  return patterns.filter(({ kinds, found }) => (kinds ?? [kind]).includes(kind) && found.test(read));
}

const atBeginning = patterns.filter(({ found }) => found.source.startsWith('^'));
const anywhere = patterns.filter(({ found }) => !found.source.startsWith('^'));
const either = (sources: readonly string[]) => new RegExp(sources.join('|'), 'i');
const suspicious = either(anywhere.map(({ found }) => found.source));
const suspiciousBeginning = either(atBeginning.map(({ found }) => `(/\\*+|//|\\*)\\s*(${found.source.slice(1)})`));

/** Parses only files with a phrase that may match: most have none. */
export function marksIn(file: string, text: string): Mark[] {
  const flat = text.replace(/\s+((\*|\/\/)\s+)?/g, ' ');
  if (!suspicious.test(flat) && !suspiciousBeginning.test(text)) return [];
  return piecesOf(file, text).flatMap((piece) => patternsIn(file, piece).map((pattern) => ({ file, piece, pattern })));
}
