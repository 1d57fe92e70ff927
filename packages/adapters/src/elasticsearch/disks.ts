import type { DiskReader } from '@drover/search-cluster/ports';
import type { SearchClient } from './client/client.ts';
import { asNumber, asObject, type Doc } from './reading.ts';

const allocation = 'cluster.routing.allocation';

/** Its disk is a cache, which Elasticsearch fills by design: no shard is allocated by it ("Searchable snapshots", shared cache). */
const isFrozenOnly = (roles: unknown) => {
  const data = Array.isArray(roles) ? roles.filter((role) => /^data(_|$)/.test(String(role))) : [];
  return data.length > 0 && data.every((role) => role === 'data_frozen');
};

/** Disks of all nodes but frozen ones, the low watermark, forced awareness and the limits of recoveries in force. */
export const diskReader = (client: SearchClient): DiskReader => ({
  disks: async () => {
    const answer = await client.get('/_nodes/stats/fs?filter_path=nodes.*.fs.total,nodes.*.roles');
    const nodes = Object.entries(asObject(asObject(answer, 'node stats').nodes, 'nodes'));
    return nodes.flatMap(([nodeId, stats]) => {
      const { roles, fs } = asObject(stats, nodeId);
      if (fs === undefined || isFrozenOnly(roles)) return [];
      const total = asObject(asObject(fs, 'fs').total, 'total');
      return {
        nodeId,
        totalBytes: asNumber(total.total_in_bytes, 'total_in_bytes'),
        availableBytes: asNumber(total.available_in_bytes, 'available_in_bytes'),
      };
    });
  },
  settings: async () => {
    const setting = await settingsInForce(client);
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
export async function settingsInForce(client: SearchClient): Promise<(name: string) => string | undefined> {
  const path = '/_cluster/settings?include_defaults=true&flat_settings=true';
  const { transient, persistent, defaults } = asObject(await client.get(path), 'settings');
  // There are hundreds of defaults, and a few of them are asked for.
  const layers = [transient, persistent, defaults] as readonly (Doc | undefined)[];
  return (name) => {
    const found = layers.find((layer) => layer?.[name] !== undefined);
    return found && String(found[name]);
  };
}
