import { groupSizes, masterInstances, stateObjects } from '@drover/adapters/aws';
import { TerminalError } from '@drover/core';
import { groupNames, nodeRoles, searchNodeFacts, versionVariable } from '@drover/core/names/search-cluster';
import { type InitialMasters, prepareMasters } from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import { countFact, type InstanceFacts, readInstanceFacts, resourceNameIn, textFact } from '../../facts.ts';
import type { CommandInput } from '../../tree/tree.ts';
import { refused } from '../refused.ts';
import { publishCertificate } from './certificate.ts';
import { knownFacts, localNode } from './local-node.ts';
import { versionOf } from './version.ts';

/** Writes the facts that the configuration agent cannot find out by itself: about this node, and the masters with which it may form a cluster. */
export async function prepare(context: Context, { options }: CommandInput<'node prepare'>): Promise<number> {
  const facts = await readInstanceFacts(context.io.files);
  const version = await versionOf(context, facts, options.elasticsearchVersion ?? context.io.env[versionVariable]);
  if ('kind' in version) return refused(context, version);
  const { metadata } = context;
  const own = {
    instance_id: await metadata.instanceId(),
    zone: await metadata.zone(),
    private_ip: await metadata.privateIp(),
    host_name: await metadata.hostName(),
    memory_mb: await memoryMb(context),
  };
  const masters = await initialMasters(context, facts, own.instance_id);
  if (masters === 'timed-out') return exitCodes.timedOut;
  await write(context, {
    ...own,
    ...version,
    initial_masters: masters ?? null,
    ...(await forcedZones(context, facts)),
  });
  await publishCertificate(context);
  return exitCodes.done;
}

async function initialMasters(
  context: Context,
  facts: InstanceFacts,
  instanceId: string,
): Promise<InitialMasters | 'timed-out'> {
  if (facts.drover.role !== nodeRoles.master || (await joinedBefore(context))) return undefined;
  const { clients: aws } = await context.aws();
  const tags = { clusterName: textFact(facts, 'cluster_name'), environment: textFact(facts, 'environment') };
  const end = await prepareMasters(
    {
      ...context.run,
      state: stateObjects(aws, textFact(facts, 'state_bucket')),
      masters: masterInstances(aws, { ...tags, resourceName: resourceNameIn(facts) }),
      local: { clusterUuid: async () => (await localNode(context)).clusterUuid },
      onWait: (because) => context.log.info(because),
    },
    { instanceId, masterCount: countFact(facts, 'master_count') },
  );
  if (end.kind === 'done') return end.outcome;
  context.log.error(
    `timed out: the masters of ${tags.clusterName} are not all there: ${end.because}. To fix it: see why the others do not launch`,
  );
  return 'timed-out';
}

/** With the input `forced_awareness`: the zones of the data nodes' group, a lost one included. */
async function forcedZones(context: Context, facts: InstanceFacts): Promise<{ forced_zones?: readonly string[] }> {
  if (facts.elasticsearch.forced_awareness !== true) return {};
  const { clients: aws } = await context.aws();
  const [group] = await groupSizes(aws).frames([groupNames.data(resourceNameIn(facts))]);
  const zones = group?.zones ?? [];
  return zones.length < 2 ? {} : { forced_zones: zones.toSorted() };
}

/** A node that has joined a cluster must never form another one. */
const joinedBefore = async ({ io }: Context): Promise<boolean> =>
  knownFacts(await io.files.read(searchNodeFacts.file)).initial_masters === null;

async function memoryMb({ io }: Context): Promise<number> {
  const kilobytes = /^MemTotal:\s+(\d+) kB/m.exec((await io.files.read('/proc/meminfo')) ?? '')?.[1];
  if (kilobytes === undefined) throw new TerminalError('/proc/meminfo does not show how much memory this machine has');
  return Math.floor(Number(kilobytes) / 1024);
}

async function write({ io, log }: Context, node: object): Promise<void> {
  const text = `${JSON.stringify({ [searchNodeFacts.root]: node }, undefined, 2)}\n`;
  if ((await io.files.read(searchNodeFacts.file)) === text) return;
  await io.files.write(searchNodeFacts.file, text);
  log.info(`wrote ${searchNodeFacts.file}`);
}
