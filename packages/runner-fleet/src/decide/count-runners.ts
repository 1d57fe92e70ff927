import type { GroupFacts, Runner } from '../model/fleet.ts';
import { instanceOf, ourRunners } from './decide-reconcile.ts';
import { isRetiring } from './rollout/decide-rollout.ts';

export interface RunnerCounts {
  /** Online, not busy, not protected, in service: ready for a job now. */
  readonly idle: number;
  readonly busy: number;
  readonly offline: number;
  readonly registeredInService: number;
  readonly inService: number;
  /** In service, and the platform sees no runner that is online: offline, also one with a job that was cut off, or not listed. */
  readonly unseen: number;
}

/**
 * Counts runners as the platform sees them. A runner that is leaving, or that the host protects, is not idle. Hosts of an earlier jobs mode
 * are no hosts of ours: they neither work for us nor are missing.
 */
export function countRunners(
  group: GroupFacts,
  runners: readonly Runner[],
  ofJobsMode: Readonly<Record<string, unknown>> = {},
): RunnerCounts {
  const ours = new Set(ourRunners(group.name, runners));
  const own = new Set([...ours].map(instanceOf));
  const inService = new Map(
    group.instances
      .filter(({ id, lifecycleState }) => lifecycleState === 'InService' && (!(id in ofJobsMode) || own.has(id)))
      .map((instance) => [instance.id, instance]),
  );
  const counts = { idle: 0, busy: 0, offline: 0, registeredInService: 0, inService: inService.size };
  let seen = 0;
  for (const runner of runners) {
    const instance = inService.get(instanceOf(runner));
    // One of jobs mode is not ours by its labels: the platform sees it, and it is not idle for us.
    if (!ours.has(runner)) {
      if (instance !== undefined && runner.status === 'online') seen += 1;
      continue;
    }
    if (runner.busy) counts.busy += 1;
    if (instance === undefined) continue;
    counts.registeredInService += 1;
    if (runner.status === 'online') seen += 1;
    if (runner.status === 'offline') counts.offline += 1;
    else if (!runner.busy && !instance.protectedFromScaleIn && !isRetiring(runner)) counts.idle += 1;
  }
  return { ...counts, unseen: Math.max(0, inService.size - seen) };
}
