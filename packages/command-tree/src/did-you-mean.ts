import { editDistance } from '@drover/core/edit-distance';

/** A word that is more edits away than this is not meant. */
const mostEdits = 3;
/** At least this share of the letters must be right. */
const leastSimilarity = 0.4;

/** ` (Did you mean shards?)`, or nothing when no known word is similar. Options are compared without their dashes. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const near = known
    .map((word) => ({ word, edits: editDistance(letters(typed), letters(word)) }))
    .filter(
      ({ word, edits }) => edits <= mostEdits && similarity(letters(typed), letters(word), edits) > leastSimilarity,
    );
  const least = Math.min(...near.map(({ edits }) => edits));
  const meant = near.filter(({ edits }) => edits === least).map(({ word }) => word);
  if (meant.length === 0) return '';
  return ` (Did you mean ${meant.length === 1 ? '' : 'one of '}${meant.sort().join(', ')}?)`;
}

const letters = (word: string) => word.replace(/^--/, '');

function similarity(typed: string, word: string, edits: number): number {
  const length = Math.max(typed.length, word.length);
  return (length - edits) / length;
}
