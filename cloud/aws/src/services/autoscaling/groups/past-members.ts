import type { AwsNeighbours } from '../../../account/neighbours.ts';
import type { LifecycleState } from '../lifecycle-states.ts';
import type { Member } from '../model.ts';

interface Change {
  readonly at: number;
  readonly member: Member;
  readonly from: LifecycleState | undefined;
}

/** How far back a describe call can be made to look. */
const mostChanges = 2_000;

/** The recent changes of state, so that a describe call can show the past. */
export class RecentChanges {
  readonly #changes: Change[] = [];

  record(at: number, member: Member, from: LifecycleState | undefined): void {
    this.#changes.push({ at, member, from });
    if (this.#changes.length > 2 * mostChanges) this.#changes.splice(0, mostChanges);
  }

  /** The members and their states as they were, from how they are. */
  membersAt(at: number, current: Iterable<Member>): Map<Member, LifecycleState> {
    const states = new Map<Member, LifecycleState>();
    for (const member of current) states.set(member, member.state);
    for (let i = this.#changes.length - 1; i >= 0 && this.#changes[i]!.at > at; i--) {
      const { member, from } = this.#changes[i]!;
      if (from === undefined) states.delete(member);
      else states.set(member, from);
    }
    return states;
  }
}

/** The part of the account's groups that laggingMembers reads. */
interface ObservedGroups {
  readonly aws: AwsNeighbours;
  readonly now: number;
  readonly recent: RecentChanges;
  readonly members: ReadonlyMap<string, Member>;
}

/**
 * The members that a describe call sees when a `delayed` fault strikes it: those of a while ago. Undefined: no fault, those of now
 * (Eventual consistency in the Amazon EC2 API).
 */
export function laggingMembers(scaler: ObservedGroups, operation: string): readonly Member[] | undefined {
  const lag = scaler.aws.engine.faults.strike({ service: 'autoscaling', operation }, ['delayed']);
  if (lag === undefined) return undefined;
  const past = scaler.recent.membersAt(scaler.now - lag.ms, scaler.members.values());
  return [...past].map(([member, state]) => ({ ...member, state }));
}
