import { hourMs } from '@drover/core';
import { replicaPolicy, snapshotPolicies } from '@drover/core/names/search-cluster';

interface Limited {
  readonly unhealthy_if_no_snapshot_within?: string;
}

/** A policy as a server returns it. */
export type LimitedPolicy = Limited & { readonly config?: { readonly metadata?: Limited } };

/**
 * When a policy without a successful snapshot is overdue; undefined when no limit is known. Servers before 9.1 forget
 * the limit, so that ours stands in the metadata as well; policies that an earlier release put have it in neither.
 */
export function overdueMs(id: string, policy: LimitedPolicy | undefined): number | undefined {
  const limit =
    policy?.unhealthy_if_no_snapshot_within ??
    policy?.config?.metadata?.unhealthy_if_no_snapshot_within ??
    [...snapshotPolicies, replicaPolicy].find((known) => known.id === id)?.unhealthyWithin;
  return limit === undefined ? undefined : Number.parseInt(limit, 10) * (unitMs[limit.slice(-1)] ?? Number.NaN);
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: hourMs, d: 24 * hourMs };
