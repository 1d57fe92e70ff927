import type { DiskReader } from '@drover/search-cluster/ports';
import type { SearchClient } from './client/client.ts';
import { asNumber, asObject, type Doc } from './reading.ts';

const allocation = 'cluster.routing.allocation';

/** Disks of all nodes, the low watermark, forced awareness and the limits of recoveries in force. */
export const diskReader = (client: SearchClient): DiskReader => ({
  disks: async () => {
    const answer = await client.json({ method: 'GET', path: '/_nodes/stats/fs?filter_path=nodes.*.fs.total' });
    return Object.entries(asObject(asObject(answer, 'node stats').nodes, 'nodes')).map(([nodeId, stats]) => {
      const total = asObject(asObject(asObject(stats, nodeId).fs, 'fs').total, 'total');
      return {
        nodeId,
        totalBytes: asNumber(total.total_in_bytes, 'total_in_bytes'),
        availableBytes: asNumber(total.available_in_bytes, 'available_in_bytes'),
      };
    });
  },
  settings: async () => {
    const path = '/_cluster/settings?include_defaults=true&flat_settings=true';
    const setting = settingIn(asObject(await client.json({ method: 'GET', path }), 'settings'));
    return {
      enabled: setting(`${allocation}.disk.threshold_enabled`) !== 'false',
      low: setting(`${allocation}.disk.watermark.low`),
      lowMaxHeadroom: setting(`${allocation}.disk.watermark.low.max_headroom`),
      maxBytesPerSec: setting('indices.recovery.max_bytes_per_sec'),
      concurrentIncoming: setting(`${allocation}.node_concurrent_incoming_recoveries`),
      concurrentOutgoing: setting(`${allocation}.node_concurrent_outgoing_recoveries`),
      forcedZones: (setting(`${allocation}.awareness.force.zone.values`) ?? '')
        .split(',')
        .map((zone) => zone.trim())
        .filter((zone) => zone !== ''),
    };
  },
});

/** Transient settings win over persistent ones, those over defaults. */
const settingIn =
  (answer: Doc) =>
  (name: string): string | undefined => {
    for (const layer of ['transient', 'persistent', 'defaults']) {
      const value = (answer[layer] as Doc | undefined)?.[name];
      if (value !== undefined) return String(value);
    }
    return undefined;
  };
