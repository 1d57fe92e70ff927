import type { Document } from '@drover/formats';
import type { RecoveryState } from '../../../engine/allocation/recovery-state.ts';
import { RoutingNodes } from '../../../engine/allocation/routing-nodes.ts';
import type { MasterServices } from '../../../engine/coordination/master-services.ts';
import { transportAddress } from '../../../engine/state/node-info.ts';
import type { Call } from '../../call.ts';
import { chosenIndices } from '../../index-expressions.ts';
import { bytes, millis, moment, percentText } from '../../responses/human.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

export const recoveryRoutes: readonly Endpoint[] = [
  {
    api: 'indices.recovery',
    action: 'indices:monitor/recovery',
    indices: (call) => call.list('index'),
    run: recovery,
  },
];

/** How every present copy came to be, and what is under way. */
export function allRecoveries(services: MasterServices): RecoveryState[] {
  for (const _ of services.recoveries.progress());
  const present = new Set(
    [...new RoutingNodes(services.core.state, () => '').all()].flatMap(({ allocationId }) => allocationId ?? []),
  );
  return services
    .members()
    .flatMap((node) => [...node.recoveries].filter(([id]) => present.has(id)).map(([, entry]) => entry));
}

async function recovery(call: Call): Promise<Reply> {
  const services = await call.master();
  const chosen = chosenIndices(call, services.core.state, { closed: true });
  const all = allRecoveries(services).filter((entry) => !call.flag('active_only') || entry.stage !== 'DONE');
  const body: Record<string, Document> = {};
  for (const { name } of chosen) {
    const shards = all.filter((entry) => entry.index === name);
    if (shards.length > 0) body[name] = { shards: shards.map((entry) => entryBody(call, services, entry)) };
  }
  return { body };
}

function entryBody(call: Call, services: MasterServices, entry: RecoveryState): Document {
  const human = call.human;
  const done = entry.stage === 'DONE';
  const took = (entry.stopMs ?? call.now) - entry.startMs;
  const percent = entry.totalBytes === 0 ? 0 : ((entry.recoveredBytes + entry.reusedBytes) * 100) / entry.totalBytes;
  const files = entry.files - entry.reusedFiles;
  return {
    id: entry.shard,
    type: entry.type,
    stage: entry.stage,
    primary: entry.primary,
    ...moment(human, 'start_time', 'start_time_in_millis', entry.startMs),
    ...(done ? moment(human, 'stop_time', 'stop_time_in_millis', entry.stopMs!) : {}),
    ...millis(human, 'total_time', 'total_time_in_millis', took),
    source: sourceBody(services, entry),
    target: nodeBody(services, entry.targetNode),
    index: {
      size: {
        ...bytes(human, 'total', 'total_in_bytes', entry.totalBytes),
        ...bytes(human, 'reused', 'reused_in_bytes', entry.reusedBytes),
        ...bytes(human, 'recovered', 'recovered_in_bytes', entry.recoveredBytes),
        ...(call.atLeast('7.14.0')
          ? bytes(human, 'recovered_from_snapshot', 'recovered_from_snapshot_in_bytes', 0)
          : {}),
        percent: percentText(percent),
      },
      files: {
        total: entry.files,
        reused: entry.reusedFiles,
        recovered: done ? files : Math.floor((files * percent) / 100),
        percent: percentText(entry.files === 0 ? 0 : done ? 100 : percent),
        ...(call.flag('detailed') ? { details: [] } : {}),
      },
      ...millis(human, 'total_time', 'total_time_in_millis', took),
      ...millis(human, 'source_throttle_time', 'source_throttle_time_in_millis', 0),
      ...millis(human, 'target_throttle_time', 'target_throttle_time_in_millis', 0),
    },
    translog: {
      recovered: done ? entry.operations : 0,
      total: entry.operations,
      percent: percentText(done || entry.operations === 0 ? 100 : 0),
      total_on_start: entry.operations,
      ...millis(human, 'total_time', 'total_time_in_millis', 0),
    },
    verify_index: {
      ...millis(human, 'check_index_time', 'check_index_time_in_millis', 0),
      ...millis(human, 'total_time', 'total_time_in_millis', 0),
    },
  };
}

function sourceBody(services: MasterServices, entry: RecoveryState): Document {
  if (entry.type === 'SNAPSHOT')
    return {
      repository: entry.repository!,
      snapshot: entry.snapshot!,
      version: services.options.version,
      index: entry.index,
      restoreUUID: services.core.state.clusterUUID,
    };
  return entry.sourceNode === undefined
    ? entry.type === 'EXISTING_STORE'
      ? { bootstrap_new_history_uuid: false }
      : {}
    : nodeBody(services, entry.sourceNode);
}

function nodeBody(services: MasterServices, id: string): Document {
  const node = services.core.state.nodes.get(id);
  return node === undefined
    ? { id }
    : { id, host: node.host, transport_address: transportAddress(node), ip: node.ip, name: node.name };
}
