/** `8.19.21` → [8, 19, 21] */
const partsOf = (version: string): readonly number[] => version.split(/[.-]/).slice(0, 3).map(Number);

/** Compares two versions by number: negative when `a` is the older one. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let at = 0; at < 3; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export const isOlder = (a: string, b: string): boolean => compareVersions(a, b) < 0;
export const majorOf = (version: string): number => partsOf(version)[0] ?? 0;
export const minorOf = (version: string): number => partsOf(version)[1] ?? 0;
