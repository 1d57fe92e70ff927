/** Names the nearest known key when a key looks like a slip of the pen. */
export function suggestion(key: string, known: readonly string[]): string {
  const plain = (word: string) => word.toLowerCase().replaceAll(/[_-]/g, '');
  const near =
    known.find((candidate) => plain(candidate) === plain(key)) ??
    known.find((candidate) => distance(candidate, key) === 1) ??
    known.find((candidate) => distance(candidate, key) === 2);
  return near === undefined ? 'docs/CONFIGURATION.md lists the inputs' : `Did you mean ${near}?`;
}

/** How many letters must be added, removed or changed. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}
