import { clusterUuidTag } from '@drover/core/names/search-cluster';
import { type Outcome, ok, problem, unknown } from '../../doctor/findings.ts';
import type { ClusterFacts } from './facts.ts';

const recovery =
  'docs/how-to/recover.md, "A lost quorum": restore the last snapshot in a new cluster, or force a master that is left';

/**
 * A node that lives says who voted when there was a master; those that died since still do. Where none says it, those
 * that have joined are taken to vote, as many as the group should have: a master has the tag once it has joined, and one
 * without it cannot become a voter while no master is elected.
 */
export function lostQuorum({ health, instances, masterGroup, groups, lastVotes }: ClusterFacts): Outcome {
  if (health.kind === 'read') return ok('a master is elected');
  const hasJoined = ({ tags }: ClusterFacts['instances'][number]) => tags[clusterUuidTag] !== undefined;
  if (!instances.some(hasJoined))
    return unknown('no instance has been a member of the cluster: it is forming, or every node was lost');
  const seen = lastVotes?.kind === 'read' ? lastVotes.value : undefined;
  const mayVote = (one: ClusterFacts['instances'][number]) => {
    const node = seen?.nodes.find(({ ip }) => ip === one.privateIp);
    return node === undefined ? hasJoined(one) : seen?.committed.includes(node.id);
  };
  const voters = instances.filter((one) => one.groupName === masterGroup && mayVote(one));
  const alive = voters.filter((one) => !isDead(groups, one));
  const wanted = groups.find(({ name }) => name === masterGroup)?.desired ?? 0;
  const votes = seen?.committed.length ?? Math.max(wanted, voters.length);
  const shown = `${Math.min(alive.length, votes)} of ${votes} masters that vote are alive`;
  if (2 * alive.length > votes) return unknown(`no master was reached; ${shown}, enough to elect one`);
  return problem(`${shown}, so no master can be elected; Elasticsearch could not be read: ${health.message}`, recovery);
}

/** Terminated, or called unhealthy by EC2's checks, whatever its group waits for before it lets it go. */
export const isDead = (
  groups: ClusterFacts['groups'],
  { instanceId, terminated = false }: ClusterFacts['instances'][number],
): boolean => terminated || groups.some(({ members }) => members.some((one) => one.id === instanceId && one.unhealthy));

export const isQuorumLost = (facts: ClusterFacts): boolean => lostQuorum(facts).verdict === 'problem';

/** While the quorum is lost nothing that is usually right helps, and least of all to wait. */
export const withQuorum =
  (examine: (facts: ClusterFacts) => Outcome) =>
  (facts: ClusterFacts): Outcome => {
    const outcome = examine(facts);
    if (outcome.fix === undefined || !isQuorumLost(facts)) return outcome;
    return { ...outcome, fix: 'first quorum-lost: neither waiting nor new nodes bring it back' };
  };
