import type { PromiseState } from '@drover/observation/api';
import type { ClusterCheckers } from '../../checkers/cluster-checkers.ts';
import type { FleetCheckers } from '../../checkers/fleet-checkers.ts';

/** The facts by which the promises are judged. */
export interface PromiseFacts {
  readonly fleet: FleetCheckers;
  readonly cluster: ClusterCheckers;
  readonly jobs: () => number;
  readonly documents: () => {
    readonly acknowledged: number;
    readonly missing: readonly string[];
    /** Since when they cannot be counted. */
    readonly unknownSince: number | undefined;
  };
}

/** The promises that `--once` checks at its end, kept so far or broken. */
export function promisesOf({ fleet, cluster, jobs, documents }: PromiseFacts): PromiseState[] {
  const { acknowledged, missing, unknownSince } = documents();
  const lostByUs = fleet.violations.find((violation) => violation.startsWith('job '));
  const others = [...fleet.violations.filter((violation) => violation !== lostByUs), ...cluster.violations];
  return [
    promise('no job lost by us', `of ${jobs()}${endedByDrainTime(fleet)}`, lostByUs),
    {
      ...promise(
        'no document lost',
        `of ${acknowledged}`,
        missing.length === 0 ? undefined : `${missing.length} are missing, the first is ${missing[0]}`,
      ),
      unknownSince,
    },
    promise('invariants', `${(fleet.checks + cluster.checks).toLocaleString('en')} checks`, others[0]),
  ];
}

/** A person or AWS began the termination, and the job took longer than it had. */
function endedByDrainTime({ blames }: FleetCheckers): string {
  const ended = blames['ended-by-drain-time'] ?? 0;
  return ended === 0 ? '' : `, ${ended} ended by the drain time`;
}

const promise = (name: string, figure: string, explanation: string | undefined): PromiseState => ({
  name,
  kept: explanation === undefined,
  figure,
  explanation,
});
