import { groupNames } from '@drover/core/names/search-cluster';
import type { HistoryFault } from '../faults.ts';
import { type HistoryWorld, names } from '../history-world.ts';

const data = groupNames.data(names.cluster);
const isSpot = ({ inputs }: HistoryWorld) => inputs.fleet.onDemandBaseCapacity !== undefined;

/** Of what each disk of a data node has now. */
function fillDisks(history: HistoryWorld, percent: number): void {
  for (const node of history.nodesIn(data).map((id) => history.cluster.nodeOf(id)))
    node.setFreeBytes(((100 - percent) / 100) * node.diskBytes);
}

/** Faults that concern inputs which are off by default. */
export const optionFaults: Readonly<Record<string, HistoryFault>> = {
  'spot has no capacity': {
    kind: 'other',
    longestMinutes: 120,
    strike: (history) => {
      if (!isSpot(history)) return undefined;
      // It is about spot instances alone, whichever group launches them.
      const effect = { kind: 'error', code: 'MaxSpotInstanceCountExceeded' } as const;
      return history.rule({ service: 'autoscaling', operation: 'Launch', effect });
    },
  },
  'all spot instances are reclaimed': {
    kind: 'other',
    longestMinutes: 30,
    strike: (history) => {
      const { world } = history;
      const taken = history.runners((id) => world.observe.instance(id)?.spot === true);
      if (taken.length === 0) return undefined;
      for (const id of taken) world.operate.reclaimSpot(id);
      return () => {};
    },
  },
  'the trial of an image fails': {
    kind: 'other',
    longestMinutes: 120,
    strike: (history) =>
      history.inputs.fleet.bakedImage === true
        ? history.rule({ service: 'machine', operation: 'try-image', effect: { kind: 'boot-failure' } })
        : undefined,
  },
  // Above the low watermark: no copy moves, and no further one has a place.
  'the disks of data nodes are too full': {
    kind: 'other',
    longestMinutes: 240,
    strike: (history) => {
      const { dataVolumeMaxSize } = history.inputs.cluster;
      // A restored index would have no place and be red, as it is with the software itself.
      if (dataVolumeMaxSize === undefined || history.isBusy('cluster') || !history.clusterIsWell()) return undefined;
      fillDisks(history, 88);
      history.disksAreFull = true;
      return () => {
        fillDisks(history, 20);
        history.disksAreFull = false;
      };
    },
  },
};
