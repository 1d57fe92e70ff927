import { enoughActive } from '../../http/api/indices/indices.ts';
import type { Call } from '../../http/call.ts';
import { RestError } from '../errors.ts';
import type { ClusterServices } from '../coordination/master.ts';
import { writeToShard } from '../documents/replicate.ts';
import { createIndex } from '../indices/create-index.ts';
import { changeIndex } from '../state/index-metadata.ts';
import { type SecurityState, withSecurity } from './security-state.ts';

const name = '.security-7';

/**
 * Writes to the security index, making it on the first write. It is an index like others: it has shards, takes part in
 * health, and without its primary nothing can be changed.
 */
export async function changeSecurity(
  call: Call,
  documentId: string,
  change: (now: SecurityState) => Partial<SecurityState>,
  read: (services: ClusterServices) => SecurityState,
): Promise<ClusterServices> {
  const services = await call.master();
  const { core } = services;
  if (!core.state.indices.has(name)) makeIndex(call, services);
  if (!(await core.waitUntil(() => enoughActive(core.state, name, 1), 30_000))) throw unavailable();
  const written = await writeToShard(call.cluster, call.node, {
    index: name,
    shard: 0,
    timeoutMs: 60_000,
    activeCopies: 1,
    act: (store, term) =>
      store.index(
        {
          id: documentId,
          source: { type: documentId.split('-')[0]! },
          bytes: 600,
          version: (store.lastOperation(documentId)?.version ?? 0) + 1,
          seqNo: store.maxSeqNo + 1,
          term,
        },
        call.now,
      ),
  });
  if (!written.done) throw unavailable();
  core.update((state) => withSecurity(state, change(read(services))));
  return services;
}

const unavailable = () =>
  new RestError(503, {
    type: 'unavailable_shards_exception',
    reason: 'at least one primary shard for the index [.security-7] is unavailable',
  });

function makeIndex(call: Call, { core, allocation }: ClusterServices): void {
  const settings = {
    'index.auto_expand_replicas': '0-1',
    'index.hidden': 'true',
    'index.priority': '1000',
    'index.number_of_shards': '1',
    'index.format': '6',
  };
  const request = { name, settings, mappings: undefined, aliases: new Map([['.security', { is_hidden: true }]]) };
  core.update((state) => {
    const created = createIndex(state, request, {
      nowMs: call.now,
      uuid: core.newId(),
      version: call.version,
      settings: core.settings,
      warn: () => {},
    });
    const index = changeIndex(created.indices.get(name)!, { system: true });
    return allocation.reroute({ ...created, indices: new Map(created.indices).set(name, index) });
  });
}
