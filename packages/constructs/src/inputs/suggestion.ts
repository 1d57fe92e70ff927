import { editDistance } from '@drover/core/edit-distance';

/** Names the nearest known key when a key looks like a slip of the pen. */
export function suggestion(key: string, known: readonly string[]): string {
  const plain = (word: string) => word.toLowerCase().replaceAll(/[_-]/g, '');
  const near =
    known.find((candidate) => plain(candidate) === plain(key)) ??
    known.find((candidate) => editDistance(candidate, key) === 1) ??
    known.find((candidate) => editDistance(candidate, key) === 2);
  return near === undefined ? 'docs/CONFIGURATION.md lists the inputs' : `Did you mean ${near}?`;
}
