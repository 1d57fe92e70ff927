type Parts = readonly [number, number, number];

/** There are few versions, and every request asks for the parts of some of them. */
const known = new Map<string, Parts>();

/** `8.19.21` → [8, 19, 21] */
export function versionParts(version: string): Parts {
  const before = known.get(version);
  if (before !== undefined) return before;
  const [major, minor, patch] = version.split(/[.-]/).map(Number);
  const parts = [major ?? 0, minor ?? 0, patch ?? 0] as const;
  known.set(version, parts);
  return parts;
}

export const majorOf = (version: string) => versionParts(version)[0];

/** Whether `version` is at least `least`, by number. */
export function atLeast(version: string, least: string): boolean {
  const a = versionParts(version);
  const b = versionParts(least);
  for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return a[i]! > b[i]!;
  return true;
}

/** The number that `index.version.created` holds: before 8.11 the node version, since then an own counter. */
export function indexVersionId(version: string): number {
  const [major, minor, patch] = versionParts(version);
  if (!atLeast(version, '8.11.0')) return major * 1_000_000 + minor * 10_000 + patch * 100 + 99;
  return major >= 9 ? 9_039_000 + minor * 1000 : 8_537_000;
}

/** How index versions are shown: the releases that share one. */
export function indexVersionText(version: string): string {
  return atLeast(version, '8.19.9') && majorOf(version) === 8 ? `8.19.9-${version}` : version;
}

/** The number that snapshots carry as `version_id`. */
export function versionId(version: string): number {
  const [major, minor, patch] = versionParts(version);
  return major * 1_000_000 + minor * 10_000 + patch * 100 + 99;
}

/** Lucene of a release, for `GET /` and segment listings. */
export function luceneVersion(version: string): string {
  if (majorOf(version) >= 9) return '10.3.2';
  if (majorOf(version) === 8) return '9.12.2';
  return atLeast(version, '7.17.0') ? '8.11.3' : '8.7.0';
}

/** The version of the protocol between nodes, as far as nodes report one. */
export const transportVersion = (version: string) => (majorOf(version) >= 9 ? 9_000_000 : 8_841_096);
