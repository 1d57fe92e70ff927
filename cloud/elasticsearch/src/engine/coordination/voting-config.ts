/** A set of node ids has a quorum when it holds more than half of the voting configuration ("Quorum-based decision making"). */
export function hasQuorum(votingConfig: readonly string[], available: ReadonlySet<string>): boolean {
  const votes = votingConfig.filter((id) => available.has(id)).length;
  return votes * 2 > votingConfig.length;
}

export interface VotingFacts {
  /** Master-eligible members of the cluster. */
  readonly live: readonly string[];
  /** Nodes that respond to the master: a configuration is committed by a majority of those in it. */
  readonly reachable: ReadonlySet<string>;
  /** Nodes that voting exclusions name. */
  readonly excluded: ReadonlySet<string>;
  readonly master: string;
  readonly current: readonly string[];
  /** `cluster.auto_shrink_voting_configuration` */
  readonly autoShrink: boolean;
}

/**
 * The voting configuration that the master changes to ("Voting configurations": odd in size, never automatically below
 * three once it had three). Keeps the current one when the new one would have no quorum among the live nodes that
 * respond.
 */
export function decideVotingConfig(facts: VotingFacts): readonly string[] {
  const live = new Set(facts.live);
  const current = new Set(facts.current);
  const candidates = [...new Set([...facts.live, ...facts.current])].filter((id) => !facts.excluded.has(id));
  candidates.sort((a, b) => rank(b) - rank(a) || (a < b ? -1 : 1));
  const liveCandidates = candidates.filter((id) => live.has(id)).length;
  const inCurrent = candidates.filter((id) => current.has(id)).length;
  const least = facts.autoShrink ? (facts.current.length < 3 ? 1 : 3) : inCurrent;
  const next = candidates.slice(0, Math.max(roundDownToOdd(liveCandidates), least));
  const responding = new Set(facts.live.filter((id) => facts.reachable.has(id)));
  return next.length > 0 && hasQuorum(next, responding) ? next : facts.current;

  function rank(id: string): number {
    return (id === facts.master ? 4 : 0) + (live.has(id) ? 2 : 0) + (current.has(id) ? 1 : 0);
  }
}

const roundDownToOdd = (size: number) => size - (size % 2 === 0 ? 1 : 0);
