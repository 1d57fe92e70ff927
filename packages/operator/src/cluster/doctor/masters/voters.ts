import { notice, type Outcome, problem } from '../../../doctor/findings.ts';
import { isInService, stays } from '../../../doctor/group-checks.ts';
import type { GroupFacts } from '../../../doctor/group-facts.ts';
import { duration } from '../../../render/table.ts';
import type { ClusterFacts } from '../facts.ts';

export type VoterFacts = Pick<ClusterFacts, 'voting' | 'topology' | 'instances' | 'terminating' | 'now'>;

/** A master joins within minutes, and leaves as soon when no other node drains. */
const usualMs = 10 * 60_000;

/**
 * While masters are replaced there is one more of them, and Elasticsearch keeps those that vote, whatever their zones: most
 * votes can be in one zone although the masters in service are spread. Undefined when they are not. A voter that is away
 * is named by other checks.
 */
export function crowdedVotes(facts: VoterFacts, group: GroupFacts): Outcome | undefined {
  const voters = votersOf(facts, group);
  const zone = group.zones.find((one) => 2 * voters.filter((voter) => voter.zone !== one).length <= voters.length);
  if (voters.length === 0 || zone === undefined) return undefined;
  const inZone = voters.filter((voter) => voter.zone === zone);
  const moving = group.members.filter((member) => !isInService(member)).map((member) => movement(facts, group, member));
  const evidence = [
    `${inZone.length} of ${voters.length} masters that vote are in ${zone}: the cluster would not survive the loss of that zone`,
    ...moving.map(({ text }) => text),
  ].join('; ');
  if (moving.length > 0 && moving.every(({ ms }) => ms < usualMs))
    return notice(evidence, 'wait until the replacement is complete');
  const leaving = inZone.find((voter) => !stays(voter));
  return problem(
    evidence,
    leaving === undefined
      ? 'wait: a launch that takes longer than half an hour is named by missing-nodes'
      : `wait until ${leaving.id} has left; or take its vote: cluster-cli api POST '/_cluster/voting_config_exclusions?node_names=${leaving.name}', which reap clears when it is gone`,
  );
}

/** None where one of them, or its instance, is not there. */
function votersOf({ voting, topology, instances }: VoterFacts, { members }: GroupFacts) {
  if (voting.kind === 'failed' || topology.kind === 'failed') return [];
  const { committed } = voting.value;
  const voters = committed.flatMap((nodeId) => {
    const node = topology.value.nodes.find(({ id }) => id === nodeId);
    const host = node && instances.find(({ privateIp }) => privateIp === node.ip);
    const member = members.find(({ id }) => id === host?.instanceId);
    return node === undefined || member === undefined ? [] : [{ ...member, name: node.name }];
  });
  return voters.length === committed.length ? voters : [];
}

function movement(
  { terminating, now }: VoterFacts,
  { launchingSince }: GroupFacts,
  member: GroupFacts['members'][number],
) {
  const { id } = member;
  const since = stays(member) ? launchingSince.get(id) : terminating.find(({ instanceId }) => instanceId === id)?.since;
  const ms = now - (since ?? now);
  return { ms, text: `${id} has been ${stays(member) ? 'launching' : 'leaving'} for ${duration(ms)}` };
}
