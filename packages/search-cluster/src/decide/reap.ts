import { clusterUuidTag } from '@drover/core/names/search-cluster';
import type { ClusterHealth } from '../model/health.ts';
import { type GroupInstance, pendingWait, terminatingRetained, terminatingWait } from '../model/lifecycle.ts';
import {
  hasGivenUp,
  isDrain,
  isInPlaceRestart,
  isMarkedAbsent,
  restartDelayMs,
  type ShutdownRecord,
  withdrawal,
} from '../model/shutdown.ts';
import type { Topology, VotingFacts } from '../model/topology.ts';

export interface ReapFacts {
  readonly topology: Topology;
  readonly health: ClusterHealth;
  readonly records: readonly ShutdownRecord[];
  readonly voting: VotingFacts;
  /** Instances of both groups; undefined outside AWS. */
  readonly instances: readonly GroupInstance[] | undefined;
  /** Since when EC2's status checks of instances have failed; read while some instance launches. */
  readonly impairedSince: ReadonlyMap<string, number>;
  /** When an instance of the groups was last terminated. */
  readonly lastTerminationAt: number | undefined;
}

export type ReapAction =
  | { readonly kind: 'mark-absent'; readonly record: ShutdownRecord; readonly because: string }
  | { readonly kind: 'unmark-absent'; readonly record: ShutdownRecord; readonly because: string }
  | { readonly kind: 'delete-record'; readonly record: ShutdownRecord; readonly because: string }
  | { readonly kind: 'clear-exclusions'; readonly because: string }
  | {
      readonly kind: 'tag-node';
      readonly instance: GroupInstance;
      readonly clusterUuid: string;
      readonly because: string;
    }
  | { readonly kind: 'complete-hook'; readonly instance: GroupInstance; readonly because: string }
  | { readonly kind: 'end-launch'; readonly instance: GroupInstance; readonly because: string }
  | { readonly kind: 'release-retained'; readonly instance: GroupInstance; readonly because: string }
  /** Findings that reap may not touch, with the way out. */
  | { readonly kind: 'report'; readonly subject: string; readonly because: string; readonly remedy?: string };

/** How long a node must be gone before its record is deleted: a restart or a partition is shorter. */
export const goneForMs = 3_600_000;
/** EC2 counts from the launch when the checks have never passed: a slow boot of a large machine takes less. */
const deadAfterMs = 15 * 60_000;

/** Decides about the leftovers of nodes that are gone. */
export function decideReap(facts: ReapFacts, now: number): readonly ReapAction[] {
  return [
    ...facts.records.flatMap((record) => reapRecord(facts, record, now)),
    ...reapExclusions(facts),
    ...(facts.instances ?? []).flatMap((instance) => [
      ...tagNode(facts, instance),
      ...endLaunch(facts, instance, now),
      ...reapInstance(facts, instance),
    ]),
  ];
}

/** Its own commission tags it, too; but a node that cannot reach AWS must not be taken for one that never joined. */
function tagNode(facts: ReapFacts, instance: GroupInstance): readonly ReapAction[] {
  const { clusterUuid } = facts.topology;
  if (clusterUuid === undefined || instance.tags[clusterUuidTag] !== undefined || !hasNode(facts, instance)) return [];
  return [{ kind: 'tag-node', instance, clusterUuid, because: 'its node has joined the cluster' }];
}

/**
 * Auto Scaling replaces a dead instance in service within minutes, and waits for one that died while it launched until its
 * hook has run out, an hour in which a master is missing or most of them are in one zone.
 */
function endLaunch({ impairedSince }: ReapFacts, instance: GroupInstance, now: number): readonly ReapAction[] {
  const since = impairedSince.get(instance.instanceId);
  if (instance.lifecycleState !== pendingWait || since === undefined || now - since < deadAfterMs) return [];
  return [{ kind: 'end-launch', instance, because: "EC2's status checks fail while it launches" }];
}

const isPresent = (facts: ReapFacts, nodeId: string) => facts.topology.nodes.some((node) => node.id === nodeId);

function reapRecord(facts: ReapFacts, record: ShutdownRecord, now: number): readonly ReapAction[] {
  if (isInPlaceRestart(record)) return reapRestart(facts, record, now);
  if (isPresent(facts, record.nodeId)) return reapPresent(record);
  if (!isDrain(record)) return now - record.startedAt >= goneForMs ? [reportRestart(record)] : [];
  const because = `node ${record.nodeId} left the cluster`;
  if (isMarkedAbsent(record))
    return now - record.startedAt >= goneForMs
      ? [{ kind: 'delete-record', record, because: `${because} over an hour ago` }]
      : [];
  if (isGoneForGood(facts, record, now))
    return [
      {
        kind: 'delete-record',
        record,
        because: `${because}; no instance is without its node, none ended within the hour`,
      },
    ];
  return [{ kind: 'mark-absent', record, because: `${because}; its record is deleted in an hour` }];
}

/**
 * A restart in place that was never finished: Elasticsearch waits for the node no longer, so its record only blocks
 * others.
 */
function reapRestart(facts: ReapFacts, record: ShutdownRecord, now: number): readonly ReapAction[] {
  // Its instance is gone: Elasticsearch would wait for the rest of the hour before it rebuilds the copies.
  if (!isPresent(facts, record.nodeId) && facts.instances?.every((instance) => hasNode(facts, instance)))
    return [
      {
        kind: 'delete-record',
        record,
        because: `node ${record.nodeId} was stopped for a restart; its instance is gone, every other has its node`,
      },
    ];
  if (now - record.startedAt < restartDelayMs) return [];
  if (isPresent(facts, record.nodeId))
    return [
      { kind: 'delete-record', record, because: `node ${record.nodeId} is here; its restart was never finished` },
    ];
  if (facts.health.status !== 'green') return [reportRestart(record)];
  const because = `node ${record.nodeId} did not come back within the hour; the cluster is green without it`;
  return [{ kind: 'delete-record', record, because }];
}

function reapPresent(record: ShutdownRecord): readonly ReapAction[] {
  if (isMarkedAbsent(record)) return [{ kind: 'unmark-absent', record, because: `node ${record.nodeId} is back` }];
  return hasGivenUp(record) ? [reportGivenUp(record)] : [];
}

/**
 * Nothing shows when a node left. But when every instance of the groups has its node in the cluster and none was
 * terminated within the hour, then an absent node left before that.
 */
function isGoneForGood(facts: ReapFacts, record: ShutdownRecord, now: number): boolean {
  if (facts.instances === undefined || now - record.startedAt < goneForMs) return false;
  if (facts.lastTerminationAt !== undefined && now - facts.lastTerminationAt < goneForMs) return false;
  return facts.instances.every((instance) => hasNode(facts, instance));
}

const hasNode = (facts: ReapFacts, instance: GroupInstance) =>
  facts.topology.nodes.some((node) => node.ip === instance.privateIp);

/** Clearing clears the whole list, so it waits until no node on it is left (rule of the API). */
function reapExclusions(facts: ReapFacts): readonly ReapAction[] {
  const { exclusions } = facts.voting;
  if (exclusions.length === 0) return [];
  const here = exclusions.filter(({ nodeId }) => isPresent(facts, nodeId));
  if (here.length === 0)
    return [{ kind: 'clear-exclusions', because: `all ${exclusions.length} excluded masters are gone` }];
  const names = here.map(({ nodeName }) => nodeName).join(', ');
  return [{ kind: 'report', subject: 'voting exclusions', because: `${names} still in the cluster: not cleared` }];
}

function reapInstance(facts: ReapFacts, instance: GroupInstance): readonly ReapAction[] {
  const { lifecycleState } = instance;
  if (lifecycleState !== terminatingWait && lifecycleState !== terminatingRetained) return [];
  const kind = lifecycleState === terminatingWait ? 'complete-hook' : 'release-retained';
  // Its hook would wait an hour for a drain, and retain what holds nothing.
  if (instance.terminated) return [{ kind, instance, because: 'EC2 has terminated it' }];
  if (instance.privateIp === undefined || hasNode(facts, instance))
    return lifecycleState === terminatingRetained ? [reportRetained(instance)] : [];
  if (facts.health.status !== 'green') return [reportNotGreen(facts, instance)];
  const because = 'its node has left a green cluster';
  return [{ kind, instance, because }];
}

/** The command that restarts a node clears its record; marking it would turn it into a removal. */
const reportRestart = (record: ShutdownRecord): ReapAction => ({
  kind: 'report',
  subject: `node ${record.nodeId}`,
  because: `it was to restart (${record.type}: ${record.reason}) and has not come back for over an hour`,
  remedy: withdrawal(record.nodeId),
});

const reportGivenUp = (record: ShutdownRecord): ReapAction => ({
  kind: 'report',
  subject: `node ${record.nodeId}`,
  because: `its drain was given up (${record.reason})`,
  remedy: 'see why: cluster-cli cluster allocation-explain',
});

const reportRetained = (instance: GroupInstance): ReapAction => ({
  kind: 'report',
  subject: `instance ${instance.instanceId}`,
  because: 'it is retained and its node is still in the cluster',
  remedy: `cluster-cli cluster decommission-node --reason retained, then drover cluster release ${instance.instanceId}`,
});

const reportNotGreen = ({ health }: ReapFacts, instance: GroupInstance): ReapAction => ({
  kind: 'report',
  subject: `instance ${instance.instanceId}`,
  because: `its node has left, but the cluster is ${health.status}: the instance is kept until it is green`,
  remedy: 'see why: cluster-cli cluster allocation-explain',
});
