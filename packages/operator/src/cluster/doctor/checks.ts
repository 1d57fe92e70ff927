import { drainReasonTag } from '@drover/core/names/search-cluster';
import {
  forecastEach,
  type GroupInstance,
  isDrain,
  recoverySpeed,
  type ShutdownRecord,
  slowestMachine,
  stackUpdateLimitMs,
  terminatingRetained,
} from '@drover/search-cluster';
import { unexplainedAlarms } from '../../doctor/alarm-checks.ts';
import {
  type Check,
  type CheckRow,
  checksOf,
  diagnose,
  type Finding,
  notice,
  type Outcome,
  ok,
  problem,
} from '../../doctor/findings.ts';
import { launchesFailing } from '../../doctor/group-checks.ts';
import { judgeAgents } from '../../doctor/silent-agents.ts';
import { listed } from '../../render/short.ts';
import { duration } from '../../render/table.ts';
import { clusterAlarms } from '../alarms.ts';
import { authorityRotation, certificates } from './authority-checks.ts';
import { blockedWrites, disks } from './disk-checks.ts';
import type { ClusterFacts, SnapshotPolicyFacts } from './facts.ts';
import { growthAtMaximum } from './growth-checks.ts';
import { bringBack } from './lost/lost-shards.ts';
import { isDead, lostQuorum, withQuorum } from './master-checks.ts';
import { mastersInOneZone } from './masters/master-zones.ts';
import { missingNodes, nodesIn, zonesWithoutNodes } from './node-checks.ts';
import { shutdownRecords } from './record-checks.ts';
import { announcedPassword, webUiToken } from './rotation/checks.ts';
import { restoreDrills } from './snapshots/restore-drills.ts';
import { softwareRoll } from './software-checks.ts';
import { nodesWithoutRequests } from './target-checks.ts';
import { whenAllRead, whenRead } from './when-read.ts';
import { roomForLostZone } from './zone-loss.ts';

const hourMs = 3_600_000;
/** The threshold of the alarm. */
const longDrainMs = 4 * hourMs;
const oldSnapshotMs = 2 * hourMs;

function silentNodes({ silent }: ClusterFacts): Outcome {
  if (silent.kind === 'failed')
    return { verdict: 'unknown', evidence: `Systems Manager could not be read: ${silent.message}` };
  return judgeAgents(silent.value, 'it cannot be upgraded in place, and no command can be sent there');
}

function decommissionRefused({ health, terminating, groups, now }: ClusterFacts): Outcome {
  if (terminating.length === 0) return ok('no node is waiting to be decommissioned');
  return whenRead(health, ({ status }) => {
    const names = terminating.map((one) => {
      const { instanceId, since, groupName } = one;
      const dead = isDead(groups, one) ? ', dead' : '';
      return `${instanceId} of ${groupName}${dead}${since === undefined ? '' : `, for ${duration(now - since)}`}`;
    });
    if (status === 'green') return ok(`the cluster is green; ${listed(names)} can be drained or let go`);
    return problem(
      `the cluster is ${status} while in Terminating:Wait: ${listed(names)}`,
      `make the cluster green (see cluster-not-green): ${afterGreen(groups, terminating)}`,
    );
  });
}

/** Names the command that takes care of the waiting nodes once the cluster is green. */
function afterGreen(groups: ClusterFacts['groups'], terminating: ClusterFacts['terminating']): string {
  const dead = terminating.filter((one) => isDead(groups, one)).length;
  if (dead === terminating.length) return 'reap lets go of a dead node then, within minutes';
  const drained = 'the next scheduled run drains the node; then start the instance refresh again';
  return dead === 0 ? drained : `reap lets go of the dead ones then, within minutes; of the others ${drained}`;
}

function notGreen(facts: ClusterFacts): Outcome {
  const { health, unassigned, url, lost } = facts;
  if (health.kind === 'failed')
    return problem(
      `${url} cannot be read: ${health.message}`,
      'see the targets of the load balancer and /var/log/elasticsearch on the masters; --url names another address',
    );
  const { status, unassignedShards, nodes } = health.value;
  if (status === 'green') return ok(`green with ${nodes} nodes`);
  const explain = 'cluster-cli cluster allocation-explain names the shard and the decision of each node';
  return problem(
    `${status}, ${unassignedShards} shards are unassigned${unassigned === undefined ? '' : `; ${unassigned}`}`,
    lost.kind === 'failed'
      ? `${explain}; whether every copy of a shard is lost could not be read: ${lost.message}`
      : lost.value === undefined
        ? explain
        : bringBack(lost.value, facts),
  );
}

function retained({ instances, topology, shards }: ClusterFacts): Outcome {
  const kept = instances.filter(({ lifecycleState }) => lifecycleState === terminatingRetained);
  if (kept.length === 0) return ok('no instance is in Terminating:Retained');
  const told = kept.map((instance) => {
    const node = nodesIn(topology).find(({ ip }) => ip === instance.privateIp);
    const copies = shards.kind === 'read' ? shards.value.filter(({ nodeId }) => nodeId === node?.id).length : undefined;
    const holds = node === undefined ? 'its node has left' : `its node ${node.name} holds ${copies ?? '?'} shards`;
    return `${instance.instanceId} (${reasonOf(instance)}); ${holds}`;
  });
  return problem(
    listed(told),
    `on the instance: cluster-cli cluster decommission-node --reason retained; then: drover cluster release ${kept[0]!.instanceId}`,
  );
}

const reasonOf = ({ tags }: GroupInstance) => tags[drainReasonTag] ?? 'no reason recorded';

function longDrain(facts: ClusterFacts): Outcome {
  return whenRead(facts.records, (records) => {
    const long = records.filter((record) => isLongDrain(facts, record));
    const shown = long.map((record) => `${nameOf(facts, record)} for ${duration(facts.now - record.startedAt)}`);
    const waiting = facts.terminating.filter(({ since }) => since !== undefined && facts.now - since > longDrainMs);
    const held = waiting.map((one) => `${one.instanceId} for ${duration(facts.now - one.since!)}: ${reasonOf(one)}`);
    if (long.length + waiting.length === 0) return ok('no drain is longer than 4 h');
    return problem(
      listed([...shown, ...held]),
      'mend what keeps the named shard here, make room for it, or raise data_count; cluster-cli api GET /_nodes/shutdown shows what each drain waits for',
    );
  });
}

/** A termination waits 48 hours, whatever it does (LifecycleHook, GlobalTimeout). */
const hookMs = 48 * hourMs;

const endlessDrain = (facts: ClusterFacts): Outcome =>
  whenAllRead([facts.topology, facts.shards, facts.recovery], ([topology, copies, recovery]) => {
    const data = facts.instances.filter(({ groupName }) => groupName !== facts.masterGroup);
    const speed = recoverySpeed(recovery, slowestMachine(data));
    return judgeDrains(forecastEach({ topology, copies, speed }), facts);
  });

function judgeDrains(drains: ReturnType<typeof forecastEach>, { terminating, now }: ClusterFacts): Outcome {
  const leftMs = (ip: string) => {
    const { since = now } = terminating.find(({ privateIp }) => privateIp === ip) ?? {};
    return since + hookMs - now;
  };
  const late = drains.filter(({ node, ms }) => ms > leftMs(node.ip));
  if (late.length > 0)
    return problem(
      listed(late.map(({ node, ms }) => `${node.name} takes about ${duration(ms)} of ${duration(leftMs(node.ip))}`)),
      'restart nodes in place (cluster-cli cluster prepare-restart), raise indices_recovery_max_bytes_per_sec, or give the cluster more and smaller data nodes',
    );
  const allMs = drains.reduce((sum, { ms }) => sum + ms, 0);
  const longest = `the longest drain takes about ${duration(Math.max(0, ...drains.map(({ ms }) => ms)))}, all ${drains.length} together ${duration(allMs)}`;
  if (allMs <= stackUpdateLimitMs) return ok(longest);
  return notice(
    `${longest}: a new image or instance type takes that long, by an instance refresh`,
    'raise indices_recovery_max_bytes_per_sec before you start one; versions and settings need none (drover cluster upgrade, drover cluster roll)',
  );
}

const isLongDrain = ({ topology, now }: ClusterFacts, record: ShutdownRecord) =>
  isDrain(record) && now - record.startedAt > longDrainMs && nodesIn(topology).some(({ id }) => id === record.nodeId);

function nameOf({ topology }: ClusterFacts, { nodeId, shardsRemaining, explanation }: ShutdownRecord): string {
  const node = nodesIn(topology).find(({ id }) => id === nodeId);
  const why = explanation === undefined ? '' : `: ${explanation}`;
  return `${node?.name ?? nodeId} (${shardsRemaining} shards left${why})`;
}

/** Each policy by its own interval: the hourly ones say nothing of the monthly ones. */
function snapshots({ policies, now }: ClusterFacts): Outcome {
  return whenRead(policies, (found) => {
    if (found.length === 0)
      return notice('there are no snapshot policies', 'give snapshot_policies, unless there is another backup');
    const check =
      'cluster-cli snapshots policy --check; cluster-cli snapshots create-repository backups BUCKET verifies every node';
    const overdue = found.filter(({ lastSuccessAt, changedAt, overdueMs = oldSnapshotMs }) => {
      const since = lastSuccessAt ?? changedAt ?? Number.NEGATIVE_INFINITY;
      return now - since > overdueMs;
    });
    if (overdue.length > 0) return problem(listed(overdue.map((policy) => policyText(policy, now))), check);
    const failed = found.filter(({ lastFailure }) => lastFailure !== undefined);
    if (failed.length > 0)
      return notice(
        listed(failed.map((policy) => policyText(policy, now))),
        `wait for the next one; if it fails, too: ${check}`,
      );
    const newest = Math.max(...found.map(({ lastSuccessAt }) => lastSuccessAt ?? Number.NEGATIVE_INFINITY));
    if (Number.isFinite(newest))
      return ok(`the last successful one is ${duration(now - newest)} old, and no policy is overdue`);
    const youngest = Math.max(...found.map(({ changedAt }) => changedAt ?? Number.NEGATIVE_INFINITY));
    return ok(`there is none yet; the policies are ${duration(now - youngest)} old`);
  });
}

function policyText({ id, lastSuccessAt, lastFailure }: SnapshotPolicyFacts, now: number): string {
  const last =
    lastSuccessAt === undefined ? 'there is none' : `the last successful one is ${duration(now - lastSuccessAt)} old`;
  return `${id}: ${last}${lastFailure === undefined ? '' : `, and the newest failed: ${lastFailure}`}`;
}

/** Elastic: "Set Xms and Xmx to no more than the threshold for compressed ordinary object pointers". */
function heaps({ heaps: found }: ClusterFacts): Outcome {
  return whenRead(found, (nodes) => {
    const large = nodes.filter(({ compressedPointers }) => compressedPointers === 'false');
    if (large.length === 0) return ok(`pointers are compressed on ${nodes.length} nodes`);
    const shown = large.map(({ node, bytes }) => `${node} has ${Math.round(bytes / 1024 ** 3)} GiB`);
    return notice(
      `pointers are not compressed: ${listed(shown, ', ')}`,
      'set heap_max_gib to 30 or leave it out, deploy, then: drover cluster roll. The memory beside the heap caches files',
    );
  });
}

function login({ login: found, stack }: ClusterFacts): Outcome {
  return whenRead(found, (letsIn) => {
    if (letsIn) return ok('the password of the secret lets elastic in');
    return problem(
      `Elasticsearch returned 401 to the password in the secret elastic_secret_id of ${stack}`,
      'the secret was changed alone: move AWSCURRENT back to the version that lets elastic in, then: cluster-cli passwd --username elastic',
    );
  });
}

/** Elastic subscriptions: audit logging comes with the paid ones. */
function auditLog({ licence }: ClusterFacts): Outcome {
  return whenRead(licence, ({ type, status }) => {
    if (type !== 'basic' && status === 'active') return ok(`the licence is ${type}`);
    return notice(
      `the licence is ${type} (${status}): the setting is enabled, but Elasticsearch writes no audit log`,
      'install a licence with audit logging if you need the log; nothing else depends on it',
    );
  });
}

/** The checks of `drover cluster doctor`, in the order of its findings. */
const rows: Readonly<Record<string, CheckRow<ClusterFacts>>> = {
  'decommission-refused': [
    'decommissioning',
    'Cluster health not green at decommission: command refuses, instance refresh is cancelled',
    decommissionRefused,
  ],
  'cluster-not-green': ['health', 'Cluster health not green', withQuorum(notGreen)],
  'quorum-lost': ['quorum', 'A majority of the masters that vote is gone for good', lostQuorum],
  'missing-nodes': ['nodes', 'The cluster has fewer nodes than it should have', withQuorum(missingNodes)],
  'launch-failing': [
    'launches',
    'Instances of the cluster cannot be launched',
    withQuorum(({ groups, now }) => launchesFailing(groups, now)),
  ],
  'zone-without-nodes': [
    'zones',
    'A zone has no node: a lost zone, or nodes that stayed elsewhere after one',
    withQuorum(zonesWithoutNodes),
  ],
  'masters-in-one-zone': [
    'zones of the masters',
    'The loss of one zone would take the majority of the masters',
    mastersInOneZone,
  ],
  'remote-agent-failing': ['remote command agents', 'Systems Manager does not reach a node', silentNodes],
  'retained-instance': ['retained instances', 'A node could not be drained and is kept', retained],
  'drain-cannot-end': [
    'length of drains',
    'The data of a node cannot be moved in the time that a termination or a deployment has',
    endlessDrain,
  ],
  'shutdown-records': [
    'shutdown records',
    'A node that stays has a shutdown record, so no other node may leave or restart',
    shutdownRecords,
  ],
  'node-without-requests': [
    'targets of the load balancers',
    'A node in service gets no requests from its load balancer',
    nodesWithoutRequests,
  ],
  'software-roll': ['software of the nodes', 'A node could not take the software of the stack', softwareRoll],
  'drain-running-long': ['drains', 'A node has been draining for hours', longDrain],
  'snapshot-too-old': ['snapshots', 'The last successful snapshot is too old, or there is none', snapshots],
  'restore-drill': [
    'restore drills',
    'The last restore drill failed, or none has succeeded for two intervals',
    restoreDrills,
  ],
  'certificate-expires': ['certificates', 'A certificate of a node or its authority expires', certificates],
  'authority-rotation': ['authority', 'The authority of the nodes is being replaced', authorityRotation],
  'writes-blocked': [
    'blocked indices',
    'Elasticsearch refuses to write to an index, because a disk is above the flood stage',
    blockedWrites,
  ],
  'disk-above-watermark': ['disks', 'A data node is above the low watermark', disks],
  'growth-at-maximum': [
    'groups that grow',
    'The disks of a group are too full, and it has all that the inputs allow',
    growthAtMaximum,
  ],
  'no-room-for-lost-zone': [
    'room for a lost zone',
    'The other zones have no room for what is built again when a zone is lost',
    roomForLostZone,
  ],
  'heap-too-large': ['heaps', 'The heap of a node is too large for compressed pointers', heaps],
  'elastic-password': ['password of elastic', 'The secret of elastic does not let it in', login],
  'password-announced': [
    'announced password of elastic',
    'Another password of elastic is stored, and not in use yet',
    announcedPassword,
  ],
  'web-ui-token': ['token of the web UI', 'A web UI does not take its newest token', webUiToken],
  'audit-log-licence': ['audit log', 'Audit logging is enabled, but needs a licence', auditLog],
  'alarm-on': [
    'alarms',
    'An alarm is on, and no other check says why',
    ({ alarms, clusterName }, before) => unexplainedAlarms(alarms, clusterAlarms(clusterName), before),
  ],
};

/** Every check of `drover cluster doctor`, in the order of its findings. */
export const clusterChecks: readonly Check<ClusterFacts>[] = checksOf(rows);

/** The pure part of `drover cluster doctor`: findings from the gathered facts. */
export const clusterFindings = (facts: ClusterFacts): Finding[] => diagnose(clusterChecks, facts);
