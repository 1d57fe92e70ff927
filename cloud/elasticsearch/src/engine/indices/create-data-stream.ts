import { ElasticsearchError, illegalArgument } from '../errors.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import { backingPrefix, type DataStream, dataStreams, withDataStream } from '../state/data-stream.ts';
import { isDocument } from '../values/value.ts';
import { type Creation, createIndex } from './create-index.ts';
import { matchingTemplates } from './templates.ts';

/** Adds a data stream with its first backing index; a template must say that the name is one of a data stream. */
export function createDataStream(state: ClusterState, name: string, creation: Creation): ClusterState {
  if (dataStreams(state).has(name))
    throw new ElasticsearchError({
      type: 'resource_already_exists_exception',
      reason: `data_stream [${name}] already exists`,
    });
  const { dataStream } = matchingTemplates(state, name, creation.version);
  const hidden = isDocument(dataStream) && dataStream.hidden === true;
  return rollOver(state, { name, generation: 0, indices: [], hidden }, creation);
}

/** Adds the next backing index, which is written to from now on. */
export function rollOver(state: ClusterState, stream: DataStream, creation: Creation): ClusterState {
  if (matchingTemplates(state, stream.name, creation.version).dataStream === undefined)
    throw illegalArgument(`no matching index template found for data stream [${stream.name}]`);
  const generation = stream.generation + 1;
  const name = backingIndexName(stream.name, generation, creation.nowMs);
  const mapping = { _data_stream_timestamp: { enabled: true }, properties: { '@timestamp': { type: 'date' } } };
  const request = {
    name,
    settings: { 'index.hidden': 'true' },
    mappings: { type: '_doc', mapping },
    aliases: new Map(),
    dataStream: stream.name,
  };
  const created = createIndex(state, request, creation);
  return withDataStream(created, { ...stream, generation, indices: [...stream.indices, name] });
}

function backingIndexName(stream: string, generation: number, nowMs: number): string {
  const day = new Date(nowMs).toISOString().slice(0, 10).replaceAll('-', '.');
  return `${backingPrefix}${stream}-${day}-${String(generation).padStart(6, '0')}`;
}
