import { TerminalError } from '@drover/core';
import { type SnapshotPolicy, snapshotIndices, snapshotRepository } from '@drover/core/names/search-cluster';
import type { SlmPolicy } from '../model/snapshot.ts';

export type PolicySet = Readonly<Record<string, SlmPolicy>>;
export type PolicyState = 'created' | 'changed' | 'unchanged' | 'drifted' | 'missing' | 'removed';

/** The specification's policies as the API takes them. The last snapshot never expires (`min_count`). */
export function builtInPolicies(clusterName: string, policies: readonly SnapshotPolicy[]): PolicySet {
  return Object.fromEntries(
    policies.map((policy) => [
      policy.id,
      {
        name: snapshotNamePattern(clusterName),
        schedule: policy.schedule,
        repository: policy.repository ?? snapshotRepository,
        config: { indices: snapshotIndices, include_global_state: true },
        retention: { expire_after: policy.expireAfter, min_count: 1, max_count: policy.maxCount },
        unhealthy_if_no_snapshot_within: policy.unhealthyWithin,
      },
    ]),
  );
}

/** Reads a policy file: `{id: policy}` or `{id: {policy: …}}`, the shape of `GET /_slm/policy`. */
export function parsePolicies(document: unknown, origin: string): PolicySet {
  if (!isObject(document)) throw invalid(origin, 'it must be an object of policies by id');
  return Object.fromEntries(
    Object.entries(document).map(([id, entry]) => [
      id,
      parsePolicy(isObject(entry) && isObject(entry.policy) ? entry.policy : entry, `${origin}: ${id}`),
    ]),
  );
}

function parsePolicy(policy: unknown, origin: string): SlmPolicy {
  if (!isObject(policy)) throw invalid(origin, 'a policy must be an object');
  for (const key of ['name', 'schedule', 'repository'])
    if (typeof policy[key] !== 'string' || policy[key] === '')
      throw invalid(origin, `${key} is ${JSON.stringify(policy[key])}, but it must be a text`);
  return policy as unknown as SlmPolicy;
}

/** Keys in which a policy on the server differs from the wanted one; empty when it is as wanted. */
export function driftOf(wanted: SlmPolicy, found: SlmPolicy): readonly string[] {
  return drift(wanted, found, '');
}

function drift(wanted: unknown, found: unknown, at: string): readonly string[] {
  if (!isObject(wanted) || !isObject(found)) return canonical(wanted) === canonical(found) ? [] : [at];
  const keys = new Set([...Object.keys(wanted), ...Object.keys(found)]);
  return [...keys].flatMap((key) => {
    const name = at === '' ? key : `${at}.${key}`;
    return drift(wanted[key], found[key], name);
  });
}

/** Elasticsearch may return numbers and booleans as text. */
const canonical = (value: unknown) =>
  value === undefined ? undefined : JSON.stringify(isScalar(value) ? String(value) : value);
const isScalar = (value: unknown) => typeof value !== 'object' || value === null;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const invalid = (origin: string, why: string) =>
  new TerminalError(`policy file ${origin}: ${why}`, {
    remedy: 'write it like the response of: cluster-cli api GET /_slm/policy',
  });

/**
 * `<cluster_name>-<YYYY-MM-DD>_<HH-MM-SS.ffffff>` in UTC. The clock counts milliseconds; `micros` (0 to 999) fills the
 * last three digits, so that two snapshots within one millisecond differ.
 */
export function snapshotName(clusterName: string, now: number, micros: number): string {
  const iso = new Date(now).toISOString();
  const time = iso.slice(11, 23).replaceAll(':', '-');
  return `${clusterName}-${iso.slice(0, 10)}_${time}${String(micros).padStart(3, '0')}`;
}

/** The same pattern as a date-math name, for policies (Elasticsearch reference, "Date math support"). */
export const snapshotNamePattern = (clusterName: string): string =>
  `<${clusterName}-{now{yyyy-MM-dd_HH-mm-ss.SSSSSS}}>`;
