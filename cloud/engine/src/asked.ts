/**
 * The requests of this process to the cloud: names of operations, resource types and APIs. The test suite collects
 * them, because a modelled part that no program, template or outside client asks for is removed (cloud/COVERAGE.md,
 * column "asked by").
 */
const names = new Set<string>();

/** Notes that a part of the cloud was asked for. */
export function noteAsked(name: string): void {
  names.add(name);
}

/** The names since the last call of this function. */
export function takeAsked(): string[] {
  const taken = [...names];
  names.clear();
  return taken;
}
