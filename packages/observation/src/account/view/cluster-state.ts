import type { ClusterState, LastRead, Reading } from '../../api.ts';
import { type SearchReadings, searchFacts } from '../../search-readings.ts';
import { searchHealth } from '../gather/search.ts';
import type { AccountFacts, Surroundings } from './facts.ts';

/** Without a reading for longer, the last one is not taken for the present. A request to a node that has just died takes less. */
const outdatedMs = 60_000;

/** The cluster of an account as it was last read. */
export function clusterState(
  { watched, groups, search }: Pick<AccountFacts, 'watched' | 'groups' | 'search'>,
  { now, readings, nodes }: Pick<Surroundings, 'now' | 'readings' | 'nodes'>,
): ClusterState {
  const names = watched.cluster?.groups.all ?? [];
  const members = names.flatMap((group) =>
    groups.instances(group).map(({ InstanceId = '', AvailabilityZone = '', LifecycleState = '' }) => ({
      instanceId: InstanceId,
      zone: AvailabilityZone,
      group,
      lifecycleState: LifecycleState as string,
      node: search?.nodeAt(groups.machine(InstanceId)?.privateIp),
    })),
  );
  const last = search?.readings();
  const reading = readings.find(({ what }) => what === searchHealth);
  const trouble = reading && troubleOf(reading, now);
  const current = trouble === undefined ? last : undefined;
  return {
    name: watched.cluster?.clusterName ?? '',
    ...searchFacts(current),
    trouble,
    lastRead: trouble === undefined || last === undefined ? undefined : lastRead(last, reading?.readAt ?? 0),
    nodes: nodes?.states(members, current, now) ?? [],
    snapshots: search?.snapshots() ?? [],
    refreshes: names.flatMap((name) => groups.refresh(name) ?? []),
    groups: names.flatMap((name) => {
      const group = groups.group(name);
      if (group === undefined) return [];
      const { DesiredCapacity = 0, MinSize = 0, MaxSize = 0 } = group;
      return [{ name, desiredCapacity: DesiredCapacity, minSize: MinSize, maxSize: MaxSize }];
    }),
  };
}

/** A cluster that could not be read for a while, or never. */
function troubleOf({ readAt, problem }: Reading, now: number): string | undefined {
  if (problem === undefined || (readAt !== undefined && now - readAt <= outdatedMs)) return undefined;
  return `Elasticsearch cannot be read: ${problem}. drover cluster doctor names the cause and the remedy.`;
}

function lastRead(readings: SearchReadings, at: number): LastRead {
  const { health, activeShards, unassignedShards, documents } = searchFacts(readings);
  return { at, health, activeShards, unassignedShards, documents };
}
