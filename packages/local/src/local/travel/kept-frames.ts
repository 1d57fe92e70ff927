const minute = 60_000;
const hour = 60 * minute;

/** How far apart frames are kept, by their age; beyond the last age none is kept. */
const spacings: readonly { readonly upToAge: number; readonly apart: number }[] = [
  { upToAge: 2 * hour, apart: minute },
  { upToAge: 24 * hour, apart: 10 * minute },
  { upToAge: 30 * 24 * hour, apart: hour },
];

/**
 * Which of the moments, oldest first, stay: the older, the fewer. The first of each span stays, so that it stays for good, and each of
 * `lasting` up to the last age.
 */
export function keptFrames(
  moments: readonly number[],
  now: number,
  lasting: ReadonlySet<number> = new Set(),
): number[] {
  const kept: number[] = [];
  let last: number | undefined;
  for (const at of moments) {
    const spacing = spacings.find(({ upToAge }) => now - at <= upToAge);
    if (spacing === undefined) continue;
    if (lasting.has(at)) {
      kept.push(at);
      continue;
    }
    const span = Math.floor(at / spacing.apart);
    if (last !== undefined && Math.floor(last / spacing.apart) === span) continue;
    kept.push(at);
    last = at;
  }
  return kept;
}
