<<<<<<< HEAD

import { clusterMetrics, masterInstances, stateObjects } from '@drover/adapters/aws';
import { describeError, renderRefusal, TerminalError } from '@drover/core';
import { certificateFiles, nodeRoles, searchNodeFacts, versionVariable } from '@drover/core/names/search-cluster';
import { certificateDays, type InitialMasters, prepareMasters } from '@drover/search-cluster';

=======

import { clusterMetrics, masterInstances, stateObjects, upgradeIntents } from '@drover/adapters/aws';
import { type SearchClient, SearchError } from '@drover/adapters/elasticsearch/client';
import { describeError, TerminalError, TransientError } from '@drover/core';
import { certificateFiles, nodeRoles, searchNodeFacts } from '@drover/core/names/search-cluster';
import { certificateDays, compareVersions, type InitialMasters, isOlder, prepareMasters } from '@drover/search-cluster';

>>>>>>> anonymous

import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import { countFact, type InstanceFacts, readInstanceFacts, resourceNameIn, textFact } from '../../facts.ts';
import type { CommandInput } from '../../tree/tree.ts';
import { localNode } from './local-node.ts';
import { versionOf } from './version.ts';

/** Writes the facts that the configuration agent cannot find out by itself: about this node, and the masters with which it may form a cluster. */
export async function prepare(context: Context, { options }: CommandInput<'node prepare'>): Promise<number> {
  const facts = await readInstanceFacts(context.io.files);
  const version = await versionOf(context, facts, options['elasticsearch-version'] ?? context.io.env[versionVariable]);
  if ('kind' in version) {
    context.log.error(renderRefusal(version));
    return exitCodes.refused;
  }
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
  await write(context, { ...own, ...version, initial_masters: masters ?? null });
  await publishCertificate(context, resourceNameIn(facts));
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
  const { clock, random, signal } = context.io;
  const end = await prepareMasters(
    {
      clock,
      random,
      signal,
      state: stateObjects(aws, textFact(facts, 'state_bucket')),
      masters: masterInstances(aws, { ...tags, resourceName: resourceNameIn(facts) }),
      local: { clusterUuid: async () => (await localNode(context)).clusterUuid },
      onWait: (because) => context.log.info(because),
      onWarning: (what) => context.log.warn(what),
    },
    { instanceId, masterCount: countFact(facts, 'master_count') },
  );
  if (end.kind === 'done') return end.outcome;
  context.log.error(
    `timed out: the masters of ${tags.clusterName} are not all there: ${end.because}. To fix it: see why the others do not launch`,
  );
  return 'timed-out';
}

<<<<<<< HEAD
=======
/**
 * The version that this node was told to run, as long as the user data asks for an older one: an upgrade in place comes before the
 * template, and no later run may go back. A node that was never configured must not be older than the cluster that it will join.
 */
async function versionOf(
  context: Context,
  facts: InstanceFacts,
  told: string | undefined,
): Promise<{ readonly version?: string }> {
  const { version: own, master_url: url } = facts.elasticsearch;
  if (typeof own !== 'string') return {};
  const known = await context.io.files.read(searchNodeFacts.file);
  if (told !== undefined && isOlder(told, own))
    throw new TerminalError(`version ${told} is older than ${own}, which this node was launched with`);
  const kept = told ?? versionIn(known);
  if (known !== undefined && told === undefined && typeof url === 'string')
    await giveUpWhenTooOld(context, url, kept ?? own);
  if (kept !== undefined) return isOlder(own, kept) ? { version: kept } : {};
  return known === undefined && typeof url === 'string' ? await versionToJoin(context, facts, url, own) : {};
}

/**
 * A new node runs what its cluster was upgraded to in place; the user data is older then, until something else changes it. Elasticsearch
 * refuses a node that is older than all others, and it would try for ever.
 */
async function versionToJoin(
  context: Context,
  facts: InstanceFacts,
  url: string,
  own: string,
): Promise<{ readonly version?: string }> {
  const { clients } = await context.aws();
  const bucket = textFact(facts, 'state_bucket');
  const versions = [...(await runningVersions(context, url, stateObjects(clients, bucket)))].sort(compareVersions);
  const [oldest, newest] = [versions[0], versions.at(-1)];
  if (oldest === undefined || newest === undefined || !isOlder(own, newest)) return {};
  const intent = await upgradeIntents(clients, bucket).read(newest);
  if (intent !== undefined) return { version: newest };
  if (!isOlder(own, oldest)) return {};
  throw new TerminalError(`this node would run ${own}, but every node of the cluster runs ${oldest} or newer`, {
    remedy: `set elasticsearch_version to ${oldest} and deploy`,
  });
}

/**
 * The cluster may have ended an upgrade after the first run: a node that has not joined by then never will. A launch is given up, unless
 * the node holds data, and the next instance starts with the right version.
 */
async function giveUpWhenTooOld(context: Context, url: string, own: string): Promise<void> {
  const local = await localCluster(context.search({ monitoring: true }));
  if (local !== noCluster && local !== 'refused') return;
  const [oldest] = [...(await versionsAt(context, url))].sort(compareVersions);
  if (oldest === undefined || !isOlder(own, oldest)) return;
  const reason = `this node runs ${own} and has not joined, but every node of the cluster runs ${oldest} or newer`;
  const abandoned = (await abandon(context, { args: {}, options: { reason } })) === exitCodes.done;
  const remedy = abandoned
    ? 'nothing: the next instance runs the version of the cluster'
    : 'terminate this instance when the cluster is green: the next one runs the version of the cluster';
  throw new TerminalError(reason, { remedy });
}

/** A node that starts with the wrong version never joins, so a cluster that has formed is waited for; what comes then is a launch that is given up. */
const versionPatienceMs = 15 * 60_000;
const versionPauseMs = 15_000;

async function runningVersions(
  context: Context,
  url: string,
  state: ReturnType<typeof stateObjects>,
): Promise<readonly string[]> {
  const { clock, signal } = context.io;
  const deadlineAt = clock.now() + versionPatienceMs;
  for (;;) {
    const versions = await versionsAt(context, url);
    if (versions.length > 0 || (await state.read('formed')) === undefined) return versions;
    if (clock.now() >= deadlineAt) throw new TransientError(`no node at ${url} says which version the cluster runs`);
    await clock.sleep(versionPauseMs, signal);
  }
}

function versionIn(text: string | undefined): string | undefined {
  try {
    return (JSON.parse(text ?? '{}') as { search_node?: { version?: string } }).search_node?.version;
  } catch {
    return undefined;
  }
}

/**
 * Versions of the nodes of the cluster; none without a response. Only a node that knows a master lists them this way: one that may not join
 * stands behind the load balancer too, and would tell its own version as that of the cluster. Needs a login: names of nodes are nobody's business.
 */
async function versionsAt(context: Context, url: string): Promise<readonly string[]> {
  const { protocol, hostname, port } = new URL(url);
  const scheme = protocol === 'http:' ? 'http' : 'https';
  const address = { protocol: scheme, host: hostname, port: Number(port || (scheme === 'https' ? 443 : 80)) } as const;
  return await context
    .search({ address })
    .json<readonly { version: string }[]>({ method: 'GET', path: '/_cat/nodes?h=version&format=json' })
    .then((nodes) => nodes.map(({ version }) => version))
    .catch(() => []);
}

>>>>>>> anonymous
/** A node that has joined a cluster must never form another one. */
async function joinedBefore({ io }: Context): Promise<boolean> {
  const known = await io.files.read(searchNodeFacts.file);
  try {
    const { search_node } = JSON.parse(known ?? '{}') as { search_node?: { initial_masters?: unknown } };
    return search_node?.initial_masters === null;
  } catch {
    return false;
  }
}

<<<<<<< HEAD
=======
/** What a node returns that has been in no cluster since its start. */
const noCluster = '_na_';

async function clusterUuid(client: SearchClient): Promise<string | undefined> {
  const uuid = await localCluster(client);
  return uuid === noCluster || uuid === 'refused' ? undefined : uuid;
}

/**
 * The cluster that the node on this machine is in. `refused`: it listens, but takes no password that the cluster takes, as a node does that is in
 * none. Any other failure means that it is not known: Elasticsearch has not been started at the first run.
 */
async function localCluster(client: SearchClient): Promise<string | 'refused' | undefined> {
  try {
    return (await client.json<{ cluster_uuid?: string }>({ method: 'GET', path: '/' })).cluster_uuid;
  } catch (error) {
    return error instanceof SearchError && error.status === 401 ? 'refused' : undefined;
  }
}

>>>>>>> anonymous
async function memoryMb({ io }: Context): Promise<number> {
  const kilobytes = /^MemTotal:\s+(\d+) kB/m.exec((await io.files.read('/proc/meminfo')) ?? '')?.[1];
  if (kilobytes === undefined) throw new TerminalError('/proc/meminfo does not tell how much memory this machine has');
  return Math.floor(Number(kilobytes) / 1024);
}

async function write({ io, log }: Context, node: object): Promise<void> {
  const text = `${JSON.stringify({ [searchNodeFacts.root]: node }, undefined, 2)}\n`;
  if ((await io.files.read(searchNodeFacts.file)) === text) return;
  await io.files.write(searchNodeFacts.file, text);
  log.info(`wrote ${searchNodeFacts.file}`);
}

/** Publishes for how many days the certificates of this node are valid. A failure is only a warning: the node must start. */
async function publishCertificate(context: Context, resourceName: string): Promise<void> {
  try {
    const values = certificateDays(await endsOfCertificates(context), context.io.clock.now());
    if (Object.keys(values).length === 0) return;
    const { clients } = await context.aws();
    await clusterMetrics(clients).put(resourceName, values);
  } catch (error) {
    context.log.warn(`how long the certificate is good could not be published: ${describeError(error)}`);
  }
}

/** None before the first configuration run. Of several authorities in a file the first one signed the certificate. */
async function endsOfCertificates({ io, log }: Context): Promise<readonly number[]> {
  // Loaded here: every run of every command would pay for it otherwise. Not by `import`, which takes real time in a simulation at each call.
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  const ends: number[] = [];
  for (const path of Object.values(certificateFiles)) {
    const text = await io.files.read(path);
    try {
      if (text !== undefined) ends.push(Date.parse(new X509Certificate(text).validTo));
    } catch (error) {
      log.warn(`${path} is no certificate: ${describeError(error)}`);
    }
  }
  return ends;
}
