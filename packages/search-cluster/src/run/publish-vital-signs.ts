import type { Clock } from '@drover/core';
import { namesOf } from '@drover/core/names/node-groups';
import { type SnapshotPolicy, snapshotPolicies } from '@drover/core/names/search-cluster';
import { drillMetrics } from '../decide/restore/drill.ts';
import { type MetricValues, vitalSigns } from '../decide/vital-signs.ts';
import { terminatingWait } from '../model/lifecycle.ts';
import type { Software } from '../model/software.ts';
import type {
  ClusterHealthReader,
  ClusterMetrics,
  DiskReader,
  ElectedMaster,
  GroupInstances,
  PressureReader,
  RejectionNote,
  ShutdownRecords,
  TopologyReader,
} from '../ports.ts';
import type { DrillNotes, SnapshotHistory } from '../snapshot-ports.ts';
import { attempt } from './attempt.ts';

export interface VitalSignsRun {
  readonly clock: Clock;
  readonly search: {
    readonly health: ClusterHealthReader;
    readonly topology: TopologyReader;
    readonly records: ShutdownRecords;
    readonly disks: DiskReader;
    readonly pressure: PressureReader;
    readonly elected: ElectedMaster;
    readonly snapshots: SnapshotHistory;
  };
  readonly aws: { readonly instances: GroupInstances; readonly metrics: ClusterMetrics };
  /** The prefix of groups' and metrics' names. @default the cluster's name */
  readonly resourceName?: string | undefined;
  /** The snapshot policies as they should be. @default the built-in ones */
  readonly wantedPolicies?: readonly SnapshotPolicy[] | undefined;
  /** The notes about restore drills. @default nothing is published of them */
  readonly drill?: { readonly notes: Pick<DrillNotes, 'read'> } | undefined;
  /** The software that the nodes should have. @default nothing is published of it */
  readonly software?: (() => Promise<Software | undefined>) | undefined;
  /** The refusals that this node counted last. @default no refusals are published */
  readonly rejections?: RejectionNote | undefined;
  readonly onWarning: (text: string) => void;
}

/**
 * Publishes what the alarms watch: by the elected master alone, and by no one while there is none, which the alarm on the
 * cluster's colour takes as not green.
 */
export async function publishVitalSigns(run: VitalSignsRun): Promise<MetricValues | undefined> {
  const { search, aws, clock } = run;
  if ((await search.elected.masterNodeId()) !== (await search.topology.localNodeId())) return undefined;
  const read = <T>(what: string, act: () => Promise<T>) =>
    attempt(run, `${what} could not be read and will be missing among the metrics`, act);
  const topology = await search.topology.topology();
  const name = run.resourceName ?? topology.clusterName;
  const instances = await read('instances', async () =>
    aws.instances.ofGroups(namesOf(await aws.instances.groupsOf(name))),
  );
  const waiting = (instances ?? []).filter(({ lifecycleState }) => lifecycleState === terminatingWait);
  const pressure = await read('heaps and refusals', () => search.pressure.pressure());
  const { rejections } = run;
  const rejectedBefore = rejections && (await read('earlier refusals', () => rejections.read()));
  const values = vitalSigns(
    {
      topology,
      health: await read('health', () => search.health.health()),
      records: await read('shutdown records', () => search.records.list()),
      instances,
      terminatingSince: await read('terminations', () => Promise.all(waiting.map(aws.instances.terminatingSince))),
      disks: await read('disks', () => search.disks.disks()),
      software: run.software === undefined ? undefined : await read('software', run.software),
      wantedPolicies: run.wantedPolicies ?? snapshotPolicies,
      pressure,
      rejectedBefore,
      blockedIndices: await read('blocked indices', () => search.pressure.blockedIndices()),
      policies: await read('snapshot policies', () => search.snapshots.policyRuns()),
    },
    clock.now(),
  );
  const { drill } = run;
  const drilled = drill === undefined ? undefined : await read('restore drills', () => drill.notes.read());
  const all = drilled === undefined ? values : { ...values, ...drillMetrics(drilled, clock.now()) };
  await aws.metrics.put(name, all);
  // After the metrics: what could not be published is counted again.
  if (pressure === undefined || rejections === undefined) return all;
  const byNode = Object.fromEntries(pressure.map(({ nodeId, rejected }) => [nodeId, rejected]));
  await attempt(run, 'the refusals could not be noted', () => rejections.write({ at: clock.now(), byNode }));
  return all;
}
