/** Three first seeds of a commit: six digits each of its hash, read as a number. */
export function firstSeedsOf(hash: string): readonly number[] {
  return [0, 6, 12].map((start) => Number.parseInt(hash.slice(start, start + 6), 16) + 1);
}
