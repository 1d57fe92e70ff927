import { kindOf } from '@drover/core/names/node-groups';
import { isDrain, isInPlaceRestart } from '@drover/search-cluster';
import { notice, type Outcome, ok, problem } from '../../doctor/findings.ts';
import { isInService, missingIn, stays, zonesWithout } from '../../doctor/group-checks.ts';
import type { GroupFacts } from '../../doctor/group-facts.ts';
import { listed } from '../../render/short.ts';
import { duration } from '../../render/table.ts';
import type { ClusterFacts } from './facts.ts';

/** A node boots, joins and recovers in less, unless it waits for others. */
const slowLaunchMs = 30 * 60_000;

/** An upgrade has installed a package and started its node in less. */
const slowUpgradeMs = 15 * 60_000;

/** The nodes in the cluster, as far as they are known. */
export const nodesIn = (topology: ClusterFacts['topology']) => (topology.kind === 'read' ? topology.value.nodes : []);

/** Compares the groups' intended size with their instances and with the nodes in the cluster. */
export function missingNodes(facts: ClusterFacts): Outcome {
  const { groups, masterGroup, stack } = facts;
  const kind = ({ name }: GroupFacts) => (name === masterGroup ? 'masters' : `${kindOf(masterGroup, name)} nodes`);
  const short = groups.filter((group) => missingIn(group) > 0);
  const missing = short.map(
    (group) =>
      `${missingIn(group)} of ${group.desired} ${kind(group)} ${missingIn(group) === 1 ? 'is' : 'are'} missing in the group ${group.name}${group.launchSuspended ? ', whose process Launch is suspended' : ''}`,
  );
  const outside = outsideOf(facts);
  const booting = groups.flatMap((group) => launching(group, facts.now));
  const late = booting.filter(({ ms }) => ms > slowLaunchMs);
  const boots = booting.map(({ id, group, ms }) => `${id} of ${group} has been launching for ${duration(ms)}`);
  const wanted = groups.map((group) => `${group.desired} ${kind(group)}`).join(' and ');
  const found = listed([...missing, ...outside, ...boots]);
  if (missing.length + outside.length + booting.length === 0) return ok(`${wanted} are wanted, and all are there`);
  const left = outside.length === 0 ? undefined : lastOldNode(facts);
  if (left !== undefined) return problem(`${found}; ${left.evidence}`, left.fix);
  const restarts = facts.records.kind === 'read' && facts.records.value.some((record) => !isDrain(record));
  if (missing.length === 0 && late.length === 0 && (outside.length === 0 || restarts))
    return notice(restarts ? `${found}; a restart in place is under way` : found, 'wait until it is done');
  return problem(
    found,
    short.some(({ launchSuspended }) => launchSuspended)
      ? `aws autoscaling resume-processes --auto-scaling-group-name ${short[0]!.name} --scaling-processes Launch`
      : missing.length > 0
        ? 'see launch-failing and zone-without-nodes; without either look again in a minute'
        : `on the instance: journalctl -u elasticsearch, journalctl -u drover-commission; stack ${stack}`,
  );
}

/** Instances in service whose node is not in the cluster. Without a cluster to ask, quorum-lost and cluster-not-green say what is wrong. */
function outsideOf({ instances, topology }: ClusterFacts): string[] {
  if (topology.kind === 'failed') return [];
  const there = new Set(topology.value.nodes.map(({ ip }) => ip));
  return instances
    .filter(({ lifecycleState, privateIp }) => isInService({ state: lifecycleState }) && !there.has(privateIp ?? ''))
    .map(
      ({ instanceId, groupName }) => `${instanceId} of ${groupName} is in service, but its node is not in the cluster`,
    );
}

/** The last node of an upgrade, stopped and not back: started in its old version it stays outside, as all others are newer. */
function lastOldNode({ records, topology, versions, now }: ClusterFacts) {
  if (records.kind === 'failed' || topology.kind === 'failed' || versions.kind === 'failed') return undefined;
  const there = new Set(topology.value.nodes.map(({ id }) => id));
  const record = records.value.find((one) => isInPlaceRestart(one) && !there.has(one.nodeId));
  const to = /^upgrade-(\d\S*)/.exec(record?.reason ?? '')?.[1];
  if (record === undefined || to === undefined || now - record.startedAt < slowUpgradeMs) return undefined;
  if (versions.value.some((version) => version !== to)) return undefined;
  return {
    evidence: `its upgrade to ${to} began ${duration(now - record.startedAt)} ago, and every other node runs ${to}: if it was started again in its old version, it may not join any more`,
    fix: `drover cluster upgrade --to ${to} --resume, which stops it once more, installs ${to} and starts it`,
  };
}

const launching = ({ name, members, launchingSince }: GroupFacts, now: number) =>
  members
    .filter((member) => stays(member) && !isInService(member))
    .map(({ id }) => ({ id, group: name, ms: now - (launchingSince.get(id) ?? now) }));

/** Data nodes are not moved back by themselves: `AZRebalance` is suspended. */
export const zonesWithoutNodes = ({ groups, now }: ClusterFacts): Outcome =>
  zonesWithout(
    groups,
    now,
    'if the zone is lost, wait: the copies are elsewhere. Masters are spread again by themselves. If it is back, terminate one data node of a zone that has two (aws autoscaling terminate-instance-in-auto-scaling-group): it is drained first, and its successor goes where nodes are missing',
  );
