import { describeError } from '@drover/core';
import { kindOf } from '@drover/core/names/node-groups';
import { softwareTag } from '@drover/core/names/search-cluster';
import {
  type DrillState,
  describePhase,
  type GroupInstance,
  reportIn,
  type ShutdownRecord,
} from '@drover/search-cluster';
import { exitCodes } from '../exit-codes.ts';
import { type DroverIo, serviceNow } from '../io.ts';
import { paint } from '../render/colour.ts';
import { shortened } from '../render/short.ts';
import { duration, type Format, json, recordTable, table } from '../render/table.ts';
import { type ClusterFacts, gatherFacts } from './doctor/facts.ts';
import { growthOf, growthText } from './doctor/growth-checks.ts';
import { survivalOf } from './doctor/survives.ts';
import type { Read } from './doctor/when-read.ts';
import { type ClusterOptions, type OpenCluster, openCluster } from './open-cluster.ts';

/** `drover cluster status`: health, every node with its disk and version, snapshots, active alarms; exit code 3 if a part could not be read. */
export async function clusterStatus(io: DroverIo, options: ClusterOptions & { format: Format }): Promise<number> {
  const cluster = await openCluster(io, options);
  const facts = await gatherFacts(cluster, serviceNow(io));
  const status = statusOf(facts, await readMore(cluster, facts), cluster.outputs.get('module_version') ?? 'unknown');
  io.stdout(options.format === 'json' ? json(status) : text(io, status));
  return status.missing.length === 0 ? exitCodes.done : exitCodes.notAllRead;
}

/** Facts beside those of doctor. */
interface MoreFacts {
  readonly versions: ReadonlyMap<string, string>;
  readonly elected: string;
}

async function readMore({ search }: OpenCluster, { health }: ClusterFacts): Promise<Read<MoreFacts>> {
  if (health.kind === 'failed') return health;
  try {
    const versions = new Map((await search.upgrade.nodes()).map(({ id, version }) => [id, version]));
    return { kind: 'read', value: { versions, elected: await search.elected.masterNodeId() } };
  } catch (error) {
    return { kind: 'failed', message: describeError(error) };
  }
}

type Status = ReturnType<typeof statusOf>;

/** Parts of Elasticsearch are null where it could not be read; those of AWS are always there. Pure. */
function statusOf(facts: ClusterFacts, more: Read<MoreFacts>, moduleVersion: string) {
  const { now, health, records, policies, drill, alarms } = facts;
  return {
    cluster: facts.clusterName,
    url: facts.url,
    moduleVersion,
    health: whatWasRead(health) ?? null,
    nodes: facts.instances.map((instance) => nodeOf(facts, more, instance)),
    /** Nodes that are drained or restarted. */
    shutdowns: (whatWasRead(records) ?? []).map((record) => shutdownOf(facts, record)),
    software: softwareOf(facts),
    /** Groups that full disks give more nodes or larger volumes. */
    growth: growthOf(facts) ?? [],
    snapshots: (whatWasRead(policies) ?? []).map(({ id, lastSuccessAt, lastFailure }) => ({
      policy: id,
      ageSeconds: secondsSince(lastSuccessAt, now),
      lastFailure: lastFailure ?? null,
    })),
    restoreDrill: drillOf(whatWasRead(drill.note), now),
    certificateDaysLeft: facts.certificateDays === undefined ? null : Math.floor(facts.certificateDays),
    authority: authorityOf(facts),
    auditLog: auditOf(facts),
    survives: survivalOf(facts).line,
    alarms: alarms.filter(({ on }) => on).map(({ name }) => name),
    /** Parts that could not be read, with the reason. */
    missing: missingParts(facts, more),
  };
}

/** Nothing of a cluster that does not respond was read, for one reason. */
function missingParts(facts: ClusterFacts, more: Read<MoreFacts>): string[] {
  const { health, topology, records, disks, shards, policies, software, frames, room } = facts;
  const failed = (parts: Readonly<Record<string, Read<unknown>>>) =>
    Object.entries(parts).flatMap(([name, part]) =>
      part.kind === 'failed' ? [`${name}: ${shortened(part.message)}`] : [],
    );
  const parts = { nodes: topology, versions: more, shutdowns: records, disks, shards, snapshots: policies };
  const ofAws = { software, groups: frames, growth: room };
  return failed(health.kind === 'failed' ? { Elasticsearch: health, ...ofAws } : { ...parts, ...ofAws });
}

const whatWasRead = <T>(part: Read<T>): T | undefined => (part.kind === 'read' ? part.value : undefined);

const secondsSince = (at: number | undefined, now: number) =>
  at === undefined ? null : Math.max(0, Math.round((now - at) / 1000));

function nodeOf(facts: ClusterFacts, read: Read<MoreFacts>, instance: GroupInstance) {
  const more = whatWasRead(read);
  const { instanceId, groupName, lifecycleState, privateIp } = instance;
  const node = whatWasRead(facts.topology)?.nodes.find(({ ip }) => ip === privateIp);
  const disk = whatWasRead(facts.disks)?.find(({ nodeId }) => nodeId === node?.id);
  const held = whatWasRead(facts.shards)?.filter(({ nodeId }) => node !== undefined && nodeId === node.id);
  const isMaster = groupName === facts.masterGroup;
  return {
    instance: instanceId,
    kind: kindOf(facts.masterGroup, groupName),
    zone: facts.groups.flatMap(({ members }) => members).find(({ id }) => id === instanceId)?.zone ?? null,
    state: lifecycleState,
    node: node?.name ?? null,
    elected: node !== undefined && node.id === more?.elected,
    version: (node && more?.versions.get(node.id)) ?? null,
    shards: isMaster ? null : (held?.length ?? null),
    diskUsedPercent: isMaster || disk === undefined ? null : usedPercent(disk),
    diskGib: isMaster || disk === undefined ? null : Math.round(disk.totalBytes / gib),
  };
}

const drillOf = ({ okAt, failedAt = 0, failure, postponed }: Partial<DrillState> = {}, now: number) => ({
  ageSeconds: secondsSince(okAt, now),
  failure: failedAt > (okAt ?? 0) ? (failure ?? 'no reason recorded') : null,
  waitsFor: postponed?.because ?? null,
});

const gib = 2 ** 30;
const usedPercent = ({ totalBytes, availableBytes }: { totalBytes: number; availableBytes: number }) =>
  totalBytes === 0 ? 0 : Math.round((100 * (totalBytes - availableBytes)) / totalBytes);

const shutdownOf = ({ topology, now }: ClusterFacts, record: ShutdownRecord) => ({
  node: whatWasRead(topology)?.nodes.find(({ id }) => id === record.nodeId)?.name ?? record.nodeId,
  type: record.type,
  reason: record.reason,
  status: record.status,
  forSeconds: secondsSince(record.startedAt, now) ?? 0,
  shardsRemaining: record.shardsRemaining,
});

/** How far a roll has come; null where the user data says which software a node has. */
function softwareOf({ software, instances }: ClusterFacts) {
  const pointer = whatWasRead(software);
  if (pointer === undefined) return null;
  const serving = instances.filter(({ lifecycleState }) => lifecycleState === 'InService');
  const taken = serving.filter(({ tags }) => {
    const report = reportIn(tags[softwareTag]);
    return report?.digest === pointer.digest && report.state === 'taken';
  });
  return { version: pointer.version, digest: pointer.digest, nodes: taken.length, of: serving.length };
}

const authorityOf = ({ authority }: ClusterFacts): string =>
  authority.kind === 'read' ? describePhase(authority.value) : 'unknown: its certificate could not be read';

/** Elastic subscriptions: audit logging comes with the paid ones. */
function auditOf({ licence }: ClusterFacts): string {
  if (licence.kind === 'failed') return 'unknown: the licence could not be read';
  const { type, status } = licence.value;
  if (type !== 'basic' && status === 'active') return `written (licence ${type})`;
  return `enabled, but nothing is written with the licence ${type} (${status})`;
}

function text(io: DroverIo, status: Status): string {
  const { snapshots, software, shutdowns, alarms, missing } = status;
  const rows = [
    ['cluster', `${status.cluster} (module version ${status.moduleVersion}), ${status.url}`],
    ['health', healthText(io, status.health)],
    ...shutdowns.map((each) => ['in progress', shutdownText(each)]),
    ...(software === null
      ? []
      : [['software', `${software.nodes} of ${software.of} nodes have ${software.version} (${software.digest})`]]),
    ...status.growth.map((each) => ['growth', growthText(each)]),
    ['snapshots', snapshots.length === 0 ? 'no policy' : snapshots.map((each) => snapshotText(io, each)).join('; ')],
    ['restore drill', drillText(io, status.restoreDrill)],
    ['certificates', status.certificateDaysLeft === null ? 'no report' : `${status.certificateDaysLeft} days left`],
    ['authority', status.authority],
    ['audit log', status.auditLog],
    ['as configured', `it ${status.survives}`],
    ['alarms', alarms.length === 0 ? paint(io, 'green', 'none') : paint(io, 'red', alarms.join(', '))],
    ...missing.map((part) => ['not shown', paint(io, 'red', part)]),
  ];
  return `${table(rows)}\n${nodeTable(status.nodes)}`;
}

const colours = { green: 'green', yellow: 'yellow', red: 'red' } as const;

function healthText(io: DroverIo, health: Status['health']): string {
  if (health === null) return paint(io, 'red', 'unknown: Elasticsearch could not be read, see drover cluster doctor');
  const { status, nodes, relocatingShards, initializingShards, unassignedShards } = health;
  const shards = { relocating: relocatingShards, initializing: initializingShards, unassigned: unassignedShards };
  const moving = Object.entries(shards).flatMap(([name, count]) => (count === 0 ? [] : [`${count} shards ${name}`]));
  return [paint(io, colours[status], status), `${nodes} nodes`, ...moving].join(', ');
}

const shutdownText = ({ node, type, reason, status, forSeconds, shardsRemaining }: Status['shutdowns'][number]) =>
  `${type.toLowerCase()} of ${node} for ${duration(forSeconds * 1000)} (${status.toLowerCase()}, ${shardsRemaining} shards left): ${reason}`;

function snapshotText(io: DroverIo, { policy, ageSeconds, lastFailure }: Status['snapshots'][number]): string {
  const last = `${policy} ${ageText(ageSeconds, 'none yet')}`;
  return lastFailure === null ? last : `${last}, ${paint(io, 'red', `then failed: ${shortened(lastFailure)}`)}`;
}

function drillText(io: DroverIo, { ageSeconds, failure, waitsFor }: Status['restoreDrill']): string {
  const last = ageText(ageSeconds, 'none yet');
  const waits = waitsFor === null ? '' : `; the next one waits: ${waitsFor}`;
  return failure === null
    ? `${last}${waits}`
    : `${last}, ${paint(io, 'red', `then failed: ${shortened(failure)}`)}${waits}`;
}

const ageText = (seconds: number | null, none: string) => (seconds === null ? none : `${duration(seconds * 1000)} ago`);

const nodeTable = (nodes: Status['nodes']): string =>
  recordTable(
    nodes.map(({ elected, diskUsedPercent, diskGib, kind, ...node }) => ({
      instance: node.instance,
      kind: elected ? `${kind} (elected)` : kind,
      zone: node.zone,
      state: node.state,
      node: node.node,
      version: node.version,
      shards: node.shards,
      disk: diskUsedPercent === null ? null : `${diskUsedPercent} % of ${diskGib} GiB`,
    })),
    'instance',
    'kind',
    'zone',
    'state',
    'node',
    'version',
    'shards',
    'disk',
  );
