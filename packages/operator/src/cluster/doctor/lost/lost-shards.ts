import { snapshotRepository } from '@drover/core/names/search-cluster';
import { isDataNode, renamed, type SnapshotContent, streamName } from '@drover/search-cluster';
import { duration } from '../../../render/table.ts';
import type { ClusterFacts } from '../facts.ts';
import type { LostShards } from './lost-facts.ts';

const page = 'docs/how-to/recover.md, "Both copies of a shard are lost"';
const prefix = 'restored-';
/** A shard of 50 GB takes longer than any usual request. */
const patient = '--request-timeout 86400';

/**
 * The way back that loses nothing more: the snapshot is restored beside the live index, whose other shards keep what was
 * written since, and only the documents of the lost shards are copied from there.
 */
export function bringBack(lost: LostShards, facts: ClusterFacts): string {
  const { index, stale, others } = lost;
  const wait = `if an instance that had a copy can come back, start it and wait; else (${page})`;
  const rest =
    others === 0
      ? ''
      : `; then ask doctor again: primaries of ${others === 1 ? 'another index' : `${others} other indices`} are missing, too`;
  if (stale !== undefined) return `${wait}: ${takeStale(lost, stale)}${rest}`;
  const snapshot = lost.snapshots.find(({ state, indices }) => state === 'SUCCESS' && indices.includes(index));
  const node = roomiest(facts);
  if (node === undefined) return `${wait}: wait for a data node`;
  const empty = api('POST', '/_cluster/reroute?metric=none', {
    commands: lost.shards.map((shard) => ({
      allocate_empty_primary: { index, shard, node, accept_data_loss: true },
    })),
  });
  if (snapshot === undefined)
    return `${wait}: no successful snapshot holds ${index}, so what was in ${shardsOf(lost)} cannot be brought back; on any node: ${empty}${rest}`;
  const feature = snapshot.featureStates.find(({ indices }) => indices.includes(index))?.feature;
  const restore = `cluster-cli snapshots restore ${snapshotRepository} ${snapshot.name}`;
  if (feature !== undefined)
    return `${wait}: the feature ${feature} comes back as a whole, as it was ${age(snapshot, facts)} ago; on any node: ${restore} --feature-states ${feature} --wait --yes${rest}`;
  const stream = snapshot.dataStreams.find((name) => name === streamName(index));
  const copy = renamed(index, { pattern: '(.+)', replacement: `${prefix}$1` }, stream !== undefined);
  const commands = [
    `${restore} --index ${stream ?? index} --rename-prefix ${prefix} --wait --yes`,
    empty,
    ...lost.shards.map((shard) => copyShard(copy, stream ?? index, shard, lost.ofShards)),
    stream === undefined
      ? `cluster-cli api DELETE /${copy}`
      : `cluster-cli api DELETE /_data_stream/${prefix}${stream}`,
  ];
  return `${wait}, on any node, each command after the one before has succeeded: ${commands.join('; ')}; this loses what was written to ${shardsOf(lost)} since ${snapshot.name}, ${age(snapshot, facts)} ago, and brings back what was deleted there since${rest}`;
}

/** Of as many slices as there are shards each one is a shard; an index of one shard cannot be sliced, and need not be. */
function copyShard(from: string, to: string, id: number, max: number): string {
  const source = { index: from, ...(max === 1 ? {} : { slice: { id, max } }) };
  const body = { conflicts: 'proceed', source, dest: { index: to, op_type: 'create' } };
  return api('POST', '/_reindex?refresh=true', body, ` ${patient}`);
}

/** A copy that misses the last writes is newer than most snapshots; only one may be right, and only the operator knows. */
function takeStale({ index, snapshots }: LostShards, { shard, node }: NonNullable<LostShards['stale']>): string {
  const command = { allocate_stale_primary: { index, shard, node, accept_data_loss: true } };
  const older = snapshots.find(({ state, indices }) => state === 'SUCCESS' && indices.includes(index))?.name;
  const than = older === undefined ? '' : `, probably more than ${older} has`;
  return `${node} has a copy of [${index}][${shard}] without the last writes${than}; to go on with it, on any node: ${api('POST', '/_cluster/reroute?metric=none', { commands: [command] })}`;
}

const api = (method: string, path: string, body: object, options = '') =>
  `cluster-cli${options} api ${method} '${path}' -d '${JSON.stringify(body)}'`;

const shardsOf = ({ index, shards }: LostShards) => shards.map((shard) => `[${index}][${shard}]`).join(', ');

const age = ({ startedAt }: SnapshotContent, { now }: ClusterFacts) => duration(now - startedAt);

/** The data node with the most room that is not about to go. */
function roomiest({ topology, disks, records }: ClusterFacts): string | undefined {
  if (topology.kind === 'failed' || disks.kind === 'failed' || records.kind === 'failed') return undefined;
  const leaving = new Set(records.value.map(({ nodeId }) => nodeId));
  const free = new Map(disks.value.map(({ nodeId, availableBytes }) => [nodeId, availableBytes]));
  const room = (id: string) => free.get(id) ?? 0;
  const nodes = topology.value.nodes.filter((node) => isDataNode(node) && !leaving.has(node.id));
  return nodes.toSorted((a, b) => room(b.id) - room(a.id))[0]?.name;
}
