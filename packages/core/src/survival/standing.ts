import type { Survival } from './survives.ts';

/** How a search cluster stands at a moment, as far as the next loss is concerned. */
export interface ClusterStanding {
  /** The zones of the masters that vote and are there, and how many votes there are in all. */
  readonly voters: readonly string[];
  readonly votes: number;
  /** For each shard the machines with a copy that serves. */
  readonly shards: readonly (readonly { readonly machine: string; readonly zone: string }[])[];
}

/**
 * Dangers of the next single loss, among those that the configuration survives when healthy; empty: it is healthy
 * again. Pure.
 */
export function dangersOf({ voters, votes, shards }: ClusterStanding, survival: Survival): readonly string[] {
  return [...machineDangers(voters, votes, shards, survival), ...zoneDangers(voters, votes, shards, survival)];
}

type Shards = ClusterStanding['shards'];

function machineDangers(voters: readonly string[], votes: number, shards: Shards, { machine }: Survival): string[] {
  if (!machine) return [];
  const single = shards.filter((copies) => new Set(copies.map((copy) => copy.machine)).size < 2).length;
  return [
    ...(2 * (voters.length - 1) > votes
      ? []
      : [`${voters.length} of ${votes} voting masters are there: one more loss is final`]),
    ...(single === 0 ? [] : [`${single} shards are on one machine alone`]),
  ];
}

/** If only some zones can be lost, it is unknown which: then machines alone count. */
function zoneDangers(voters: readonly string[], votes: number, shards: Shards, { zones }: Survival): string[] {
  if (zones !== 'any') return [];
  const crowded = [...new Set(voters)].filter((zone) => {
    const left = voters.filter((other) => other !== zone).length;
    return 2 * left <= votes;
  });
  const alone = new Map<string, number>();
  for (const copies of shards) {
    const [zone, ...others] = new Set(copies.map((copy) => copy.zone));
    if (zone !== undefined && others.length === 0) alone.set(zone, (alone.get(zone) ?? 0) + 1);
  }
  return [
    ...crowded.map(
      (zone) =>
        `${voters.filter((other) => other === zone).length} of ${votes} voting masters are in ${zone}: losing it would be final`,
    ),
    ...[...alone].map(([zone, count]) => `${count} shards are in ${zone} alone`),
  ];
}
