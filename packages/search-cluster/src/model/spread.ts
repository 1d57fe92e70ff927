import type { GroupMember } from './lifecycle.ts';

/** An Auto Scaling group: its sizes, its zones and who is in it. */
export interface GroupFrame {
  readonly groupName: string;
  readonly minSize: number;
  readonly maxSize: number;
  readonly desired: number;
  /** The zones in which it may launch. */
  readonly zones: readonly string[];
  readonly suspended: readonly string[];
  readonly members: readonly GroupMember[];
  /** Up to how many GiB the volumes of its nodes may grow by themselves; undefined: they do not. */
  readonly volumeMaxGiB?: number | undefined;
}

/** One attempt to spread the masters over the zones again, as the state bucket has it. */
export interface SpreadNote {
  readonly startedAt: number;
  /** The zones with the fewest masters: the newcomer is for one of them. */
  readonly zones: readonly string[];
  /** How many masters there should be; one more while the attempt lasts. */
  readonly masters: number;
  /** The instances that were there before. */
  readonly instances: readonly string[];
  /** Undefined while it is under way. */
  readonly ended?: { readonly at: number; readonly outcome: SpreadOutcome };
}

export type SpreadOutcome =
  | 'spread'
  /** The newcomer came up in another zone, and was ended. */
  | 'no-capacity'
  | 'not-launched'
  | 'not-serving'
  /** An operator has changed the sizes of the group. */
  | 'overtaken'
  /** The group never wanted one more, or an operator took that back. */
  | 'undone';
