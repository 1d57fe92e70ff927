import { type GroupMember, isLeaving } from '../../model/lifecycle.ts';

type Placed = Pick<GroupMember, 'lifecycleState' | 'zone'>;

/** Instances that their group has not begun to terminate. */
export const staying = <T extends Placed>(instances: readonly T[]): readonly T[] =>
  instances.filter((instance) => !isLeaving(instance));

/** How many there are in each zone, zones without any included. */
export function countByZone(zones: readonly string[], instances: readonly Placed[]): ReadonlyMap<string, number> {
  const counts = new Map(zones.map((zone) => [zone, 0]));
  for (const { zone } of instances) if (zone !== undefined) counts.set(zone, (counts.get(zone) ?? 0) + 1);
  return counts;
}

/** The zones with this many. */
const having = (counts: ReadonlyMap<string, number>, many: number) =>
  [...counts].filter(([, count]) => count === many).map(([zone]) => zone);

/** The fullest and the emptiest zones, and by how many instances they differ. From two on, moving one makes them more even. */
export function crowding(zones: readonly string[], instances: readonly Placed[]) {
  const counts = countByZone(zones, instances);
  const [most, least] = [Math.max(0, ...counts.values()), Math.min(...zones.map((zone) => counts.get(zone) ?? 0))];
  return { fullest: having(counts, most), emptiest: having(counts, least), difference: most - least };
}

/** Elasticsearch keeps the number of voters odd ("Voting configurations"): one of an even number does not vote. */
const voters = (masters: number) => masters - ((masters + 1) % 2);

/** Whether the rest still elects when this many masters are lost, in the worst case all of them voters. */
const survivesLossOf = (lost: number, masters: number) =>
  voters(masters) - Math.min(lost, voters(masters)) > voters(masters) / 2;

export interface MajorityZone {
  readonly zone: string;
  /** Masters in it, of all. */
  readonly masters: number;
  readonly of: number;
  /** Evenly spread masters would survive the loss of any zone of their group. */
  readonly avoidable: boolean;
}

/** The zone whose loss would take the majority of the masters; undefined when there is none. */
export function majorityZone({
  zones,
  minSize,
  members,
}: {
  readonly zones: readonly string[];
  readonly minSize: number;
  readonly members: readonly Placed[];
}): MajorityZone | undefined {
  const there = members.filter(({ lifecycleState }) => lifecycleState === 'InService');
  const [zone, count] = [...countByZone(zones, there)].sort(([, a], [, b]) => b - a)[0] ?? ['', 0];
  if (there.length === 0 || survivesLossOf(count, there.length)) return undefined;
  const avoidable = survivesLossOf(Math.ceil(minSize / Math.max(1, zones.length)), minSize);
  return { zone, masters: count, of: there.length, avoidable };
}
