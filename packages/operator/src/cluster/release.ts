import { TerminalError } from '@drover/core';
import { type GroupInstance, terminatingRetained } from '@drover/search-cluster';
import type { DroverIo } from '../io.ts';
import { type ClusterOptions, type OpenCluster, openCluster } from './open-cluster.ts';

/** `drover cluster release INSTANCE`: ends an instance that its termination hook retained, once nothing is on it. */
export async function releaseInstance(io: DroverIo, instanceId: string, options: ClusterOptions): Promise<number> {
  const cluster = await openCluster(io, options);
  const { groups } = cluster;
  const all = await cluster.instances.ofGroups(groups.all);
  const instance = all.find((one) => one.instanceId === instanceId);
  if (instance === undefined)
    throw new TerminalError(`${instanceId} is in none of the groups ${groups.all.join(', ')}`, {
      remedy: '`drover cluster doctor` lists what is retained',
    });
  if (instance.lifecycleState !== terminatingRetained)
    throw new TerminalError(`${instanceId} is ${instance.lifecycleState}, not ${terminatingRetained}`, {
      remedy: 'nothing is to be released: its own schedule drains a node that terminates',
    });
  await requireEmpty(cluster, instance);
  await cluster.retained.release(instanceId);
  io.stdout(`${instanceId}: released from ${instance.groupName}; its termination goes on\n`);
  return 0;
}

/** An unreadable response is never "empty". */
async function requireEmpty({ search }: OpenCluster, instance: GroupInstance): Promise<void> {
  const { nodes } = await search.topology.topology();
  const node = nodes.find(({ ip }) => ip === instance.privateIp);
  if (node === undefined) return;
  const copies = (await search.shards.shards()).filter(({ nodeId }) => nodeId === node.id);
  const [first] = copies;
  if (first === undefined) return;
  throw new TerminalError(
    `node ${node.name} on ${instance.instanceId} still holds ${copies.length} shards, [${first.index}][${first.shard}] among them`,
    { remedy: `on the instance: cluster-cli cluster decommission-node --reason retained` },
  );
}
