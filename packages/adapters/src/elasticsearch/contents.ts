import type { ClusterContents, LifecycleManagement } from '@drover/search-cluster/snapshot-ports';
import type { SearchClient } from './client/client.ts';
import { asList, asNumber, asObject, asObjects, asText } from './reading.ts';

/** Reads the contents of a cluster; no address contains the name of an index. */
export const clusterContents = (client: SearchClient): ClusterContents => {
  const counted = async (path: string, member?: string) => {
    const answer = asObject(await client.get(path), path);
    return member === undefined ? Object.values(answer) : asList(answer[member] ?? [], member);
  };
  const isOwn = (entry: unknown) => (asObject(entry, 'entry').metadata as { _reserved?: boolean })?._reserved !== true;
  return {
    names: async () => {
      const rows = await client.get('/_cat/indices?format=json&expand_wildcards=all&h=index');
      const path = '/_data_stream?expand_wildcards=all&filter_path=data_streams.name';
      const streams = await counted(path, 'data_streams');
      return {
        indices: asObjects(rows, 'index', 'indices').map(({ index }) => asText(index, 'index')),
        dataStreams: streams.map((stream) => asText(asObject(stream, 'data stream').name, 'name')),
      };
    },
    missingPrimaries: async (indices) => {
      const wanted = new Set(indices);
      const missing = asObjects(await client.get('/_cat/shards?format=json&h=index,prirep,state'), 'shard')
        .filter(({ index, prirep }) => prirep === 'p' && wanted.has(String(index)))
        .filter(({ state }) => state !== 'STARTED' && state !== 'RELOCATING');
      const failed = missing.filter(({ state }) => state === 'UNASSIGNED').map(({ index }) => String(index));
      return { arriving: missing.length, failed };
    },
    persistentSettings: async () => {
      const { persistent = {} } = asObject(await client.get('/_cluster/settings?flat_settings=true'), 'settings');
      return asObject(persistent, 'persistent');
    },
    resetSettings: async (keys) => {
      const body = JSON.stringify({ persistent: Object.fromEntries(keys.map((key) => [key, null])) });
      await client.json({ method: 'PUT', path: '/_cluster/settings', body });
    },
    counts: async () => ({
      documents: asNumber(asObject(await client.get('/_count?expand_wildcards=all'), 'count').count, 'count'),
      users: (await counted('/_security/user')).filter(isOwn).length,
      roles: (await counted('/_security/role')).filter(isOwn).length,
      templates: (await counted('/_index_template?filter_path=index_templates.name', 'index_templates')).length,
      ilmPolicies: (await counted('/_ilm/policy?filter_path=*.version')).length,
      slmPolicies: (await counted('/_slm/policy?filter_path=*.version')).length,
    }),
  };
};

/** Starts and stops index and snapshot lifecycle management. */
export const lifecycleManagement = (client: SearchClient): LifecycleManagement => {
  const mode = async (kind: 'ilm' | 'slm') =>
    asText(asObject(await client.get(`/_${kind}/status`), kind).operation_mode, 'mode');
  const both = async (action: 'start' | 'stop') => {
    for (const kind of ['ilm', 'slm']) await client.json({ method: 'POST', path: `/_${kind}/${action}` });
  };
  return {
    state: async () => ({ ilm: await mode('ilm'), slm: await mode('slm') }),
    stop: () => both('stop'),
    start: () => both('start'),
  };
};
