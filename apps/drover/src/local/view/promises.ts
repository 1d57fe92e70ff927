import type { PromiseState } from '@drover/console/api';
import type { ClusterCheckers, FleetCheckers } from '@drover/simulation';

/** What the promises are judged by. */
export interface PromiseFacts {
  readonly fleet: FleetCheckers;
  readonly cluster: ClusterCheckers;
  readonly jobs: () => number;
  readonly documents: () => { readonly acknowledged: number; readonly missing: readonly string[] };
}

/** The promises that `--once` checks at its end, kept so far or broken. */
export function promisesOf({ fleet, cluster, jobs, documents }: PromiseFacts): PromiseState[] {
  const { acknowledged, missing } = documents();
  const lostByUs = fleet.violations.find((violation) => violation.startsWith('job '));
  const others = [...fleet.violations.filter((violation) => violation !== lostByUs), ...cluster.violations];
  return [
    promise('no job lost by us', `of ${jobs()}`, lostByUs),
    promise(
      'no document lost',
      `of ${acknowledged}`,
      missing.length === 0 ? undefined : `${missing.length} are missing, the first is ${missing[0]}`,
    ),
    promise('invariants', `${(fleet.checks + cluster.checks).toLocaleString('en')} checks`, others[0]),
  ];
}

const promise = (name: string, figure: string, explanation: string | undefined): PromiseState => ({
  name,
  kept: explanation === undefined,
  figure,
  explanation,
});
