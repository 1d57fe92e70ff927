import { groupNames } from '@drover/core/names/search-cluster';
import { type GroupFrame, mayGrow } from '@drover/search-cluster';
import { type Outcome, ok, problem, unknown } from '../../doctor/findings.ts';
import { listed } from '../../render/short.ts';
import { duration } from '../../render/table.ts';
import type { ClusterFacts } from './facts.ts';

const hourMs = 3_600_000;

/** A group that full disks give more nodes or larger volumes. */
export interface ShownGrowth {
  readonly group: string;
  readonly nodes: number;
  readonly mostNodes: number;
  /** Of the smallest volume; null where volumes do not grow by themselves. */
  readonly volumeGib: number | null;
  readonly mostVolumeGib: number | null;
  /** How long its disks have been above the low watermark. */
  readonly fullForSeconds: number | null;
}

/** The groups that may grow by themselves; undefined when they could not be read. */
export function growthOf({
  frames,
  room,
  volumes,
  clusterName,
  now,
}: ClusterFacts): readonly ShownGrowth[] | undefined {
  if (frames.kind === 'failed' || room.kind === 'failed') return undefined;
  const sizes = volumes.kind === 'read' ? volumes.value.map(({ sizeGiB }) => sizeGiB) : [];
  return frames.value
    .filter((frame) => isData(frame, clusterName) && mayGrow(frame))
    .map((frame) => {
      const { fullSince } = room.value?.[frame.groupName] ?? {};
      const grows = frame.volumeMaxGiB !== undefined && sizes.length > 0;
      return {
        group: frame.groupName,
        nodes: frame.desired,
        mostNodes: frame.maxSize,
        volumeGib: grows ? Math.min(...sizes) : null,
        mostVolumeGib: frame.volumeMaxGiB ?? null,
        fullForSeconds: fullSince === undefined ? null : Math.max(0, Math.round((now - fullSince) / 1000)),
      };
    });
}

/** Masters have room for one more, which is for their zones. */
const isData = ({ groupName }: GroupFrame, clusterName: string) => groupName !== groupNames.master(clusterName);

/** `logs-data 4 of at most 6 nodes, volumes of 300 of at most 900 GiB`. */
export function growthText({ group, nodes, mostNodes, volumeGib, mostVolumeGib, fullForSeconds }: ShownGrowth): string {
  const volumes = mostVolumeGib === null ? '' : `, volumes of ${volumeGib ?? '?'} of at most ${mostVolumeGib} GiB`;
  const full = fullForSeconds === null ? '' : `, too full for ${duration(fullForSeconds * 1000)}`;
  return `${group} ${nodes} of at most ${mostNodes} nodes${volumes}${full}`;
}

const isAtMaximum = ({ nodes, mostNodes, volumeGib, mostVolumeGib, fullForSeconds }: ShownGrowth) =>
  nodes >= mostNodes && (volumeGib ?? 0) >= (mostVolumeGib ?? 0) && (fullForSeconds ?? 0) * 1000 >= hourMs;

/** Whether a group would get more, but has all that the inputs allow. */
export function growthAtMaximum(facts: ClusterFacts): Outcome {
  const found = growthOf(facts);
  if (found === undefined) return unknown('the groups or the state bucket could not be read');
  if (found.length === 0) return ok('no group grows by itself');
  const stopped = found.filter(isAtMaximum);
  if (stopped.length === 0) return ok(listed(found.map(growthText)));
  return problem(
    `${listed(stopped.map(growthText))}: it may not grow any more`,
    'raise max_count of the group in node_groups, or data_volume_max_size, and deploy; or delete indices',
  );
}
