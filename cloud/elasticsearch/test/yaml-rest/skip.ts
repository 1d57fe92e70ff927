import { Mismatch } from './mismatch.ts';
import type { YamlTarget } from './yaml-target.ts';

/** The case is not for this version: the only reason to skip. */
export class Skip extends Error {}

interface SkipArgument {
  readonly version?: string;
  readonly features?: string | readonly string[];
  readonly reason?: string;
}

/** A feature that the runner lacks is a failure of the runner, not a skip. */
export function skipIfAsked(target: YamlTarget, { version, features, reason }: SkipArgument): void {
  const asked = typeof features === 'string' ? features.split(',').map((name) => name.trim()) : (features ?? []);
  const missing = asked.filter((feature) => !target.features.includes(feature));
  if (missing.length > 0) throw new Mismatch(`the runner does not have the features ${missing.join(', ')}`);
  if (version?.split(',').some((range) => inRange(target.version, range)))
    throw new Skip(`version ${version}: ${reason ?? ''}`);
}

export function inRange(version: string, range: string): boolean {
  if (range.trim() === 'all') return true;
  const dash = / - | -$|^- |^-/.exec(range);
  const [from, to] =
    dash === null ? [range, range] : [range.slice(0, dash.index), range.slice(dash.index + dash[0].length)];
  return (
    (from.trim() === '' || compareVersions(version, from) >= 0) &&
    (to.trim() === '' || compareVersions(version, to) <= 0)
  );
}

function compareVersions(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => text.trim().split('.').map(Number)) as [number[], number[]];
  for (let at = 0; at < 3; at++) if ((x[at] ?? 0) !== (y[at] ?? 0)) return (x[at] ?? 0) - (y[at] ?? 0);
  return 0;
}
