import type { ClusterAccess } from '../coordination/cluster-access.ts';
import type { MasterServices } from '../coordination/master-services.ts';
import type { SearchNode } from '../coordination/search-node.ts';
import { writeToShard } from '../documents/replicate.ts';
import { ElasticsearchError } from '../errors.ts';
import { refuseByCluster } from '../indices/blocks.ts';
import { createIndex } from '../indices/create-index.ts';
import { type ClusterState, enoughActive } from '../state/cluster-state.ts';
import { isDataNode } from '../state/node-info.ts';
import { atLeast } from '../state/versions.ts';
import { type SecurityState, securityState, withSecurity } from './security-state.ts';

const name = '.security-7';

/** The node that a change arrives at. */
export interface SecurityChange {
  readonly cluster: ClusterAccess;
  readonly node: SearchNode;
  master(): Promise<MasterServices>;
}

/**
 * Writes to the security index, making it on the first write. It is an index like others: it has shards, takes part in
 * health, and without its primary nothing can be changed.
 */
export async function changeSecurity(
  at: SecurityChange,
  documentId: string,
  change: (now: SecurityState) => Partial<SecurityState>,
): Promise<MasterServices> {
  const services = await at.master();
  const { core } = services;
  refuseByCluster(core.state, 'write');
  if (!core.state.indices.has(name)) makeIndex(at.cluster, services);
  if (!(await core.waitUntil(() => enoughActive(core.state, name, 1), 30_000))) throw unavailable();
  const written = await writeToShard(at.cluster, at.node, {
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
        at.cluster.engine.clock.now(),
      ),
  });
  if (!written.done) throw unavailable();
  core.update((state) => withSecurity(state, change(securityState(core.state))));
  return services;
}

/** From the first data node to the index with the built-in roles. Estimated. */
const firstWriteMs = 2_000;

/**
 * Makes the security index at the first boot: the master writes the built-in roles to it as soon as there is a data node, and no
 * node of an older version (from 8.18 on).
 */
export function keepSecurityIndex(cluster: ClusterAccess, services: MasterServices): void {
  const { core } = services;
  let pending = false;
  const isDue = (state: ClusterState) =>
    !state.indices.has(name) &&
    [...state.nodes.values()].some(isDataNode) &&
    [...state.nodes.values()].every((node) => atLeast(node.version, '8.18.0'));
  const make = () => {
    pending = false;
    if (core.canCommit && isDue(core.state)) makeIndex(cluster, services);
  };
  core.onChange((state) => {
    if (pending || !isDue(state)) return;
    pending = true;
    cluster.engine.clock.after(firstWriteMs, make);
  });
}

const unavailable = () =>
  new ElasticsearchError({
    type: 'unavailable_shards_exception',
    reason: 'at least one primary shard for the index [.security-7] is unavailable',
  });

function makeIndex({ engine, version }: ClusterAccess, { core, allocation }: MasterServices): void {
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
      nowMs: engine.clock.now(),
      uuid: core.newId(),
      version,
      settings: core.settings,
      warn: () => {},
    });
    return allocation.reroute(created);
  });
}
