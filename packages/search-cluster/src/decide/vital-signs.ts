import { metrics } from '@drover/core/names/search-cluster';
import type { NodeDisk } from '../model/disk.ts';
import type { ClusterHealth } from '../model/health.ts';
import { type GroupInstance, terminatingRetained } from '../model/lifecycle.ts';
import { isDrain, type ShutdownRecord } from '../model/shutdown.ts';
import type { Topology } from '../model/topology.ts';

/** What the elected master knows of its cluster. Whatever could not be read is undefined, and is not published. */
export interface VitalFacts {
  readonly health: ClusterHealth | undefined;
  readonly topology: Topology | undefined;
  readonly records: readonly ShutdownRecord[] | undefined;
  readonly instances: readonly GroupInstance[] | undefined;
  readonly disks: readonly NodeDisk[] | undefined;
  /** When the newest good snapshot of any policy ended. */
  readonly lastSnapshotAt: number | undefined;
}

export type MetricValues = Readonly<Record<string, number>>;

/** The metrics that the alarms of a cluster watch. A health that cannot be read is not green. */
export function vitalSigns(facts: VitalFacts, now: number): MetricValues {
  const { health, records, instances, disks, lastSnapshotAt } = facts;
  return {
    [metrics.notGreen]: health?.status === 'green' ? 0 : 1,
    ...(lastSnapshotAt === undefined ? {} : { [metrics.snapshotAge]: (now - lastSnapshotAt) / 1000 }),
    ...(disks === undefined || disks.length === 0 ? {} : { [metrics.diskUsed]: Math.max(...disks.map(usedPercent)) }),
    ...(records === undefined ? {} : { [metrics.drain]: longestDrainSeconds(facts, records, now) }),
    ...(instances === undefined ? {} : { [metrics.retained]: instances.filter(isRetained).length }),
  };
}

const usedPercent = ({ totalBytes, availableBytes }: NodeDisk) => (100 * (totalBytes - availableBytes)) / totalBytes;
const isRetained = ({ lifecycleState }: GroupInstance) => lifecycleState === terminatingRetained;

/** Of nodes that are there: the record of one that left is reaped in its own time. */
function longestDrainSeconds({ topology }: VitalFacts, records: readonly ShutdownRecord[], now: number): number {
  const present = records.filter(
    (record) => isDrain(record) && topology?.nodes.some((node) => node.id === record.nodeId) !== false,
  );
  return Math.max(0, ...present.map(({ startedAt }) => (now - startedAt) / 1000));
}
