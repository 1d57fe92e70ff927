import type { ScalingMode } from '@drover/core/names/runner-fleet';

/** Most undisturbed minutes that an instance may be there for nothing. */
const mostWasted: Readonly<Record<ScalingMode, number>> = { jobs: 20, idle: 30 };

/** A minute of the instances that are there for nothing. */
export interface WastedMinute {
  readonly mode: ScalingMode;
  readonly desired: number;
  /** Since the minute before, a person has set the sizes of the group. */
  readonly sizedByPerson: boolean;
  /** Nothing was in the way. */
  readonly good: boolean;
  /** Instances come or go. */
  readonly moves: boolean;
  readonly ids: readonly string[];
}

/**
 * Counts how long instances have been there for nothing. The pace of scaling in begins again with a change of the mode,
 * which has a pace of its own, and with sizes that a person sets: a pass of the roll-out before them could not know.
 */
export class WastedMinutes {
  #counts = new Map<string, number>();
  #mode: ScalingMode | undefined;
  #desired = 0;

  /** Good minutes of one that was there for nothing in the last minute; -1 of any other. */
  of(id: string): number {
    return this.#counts.get(id) ?? -1;
  }

  /** Returns those that have been there for too long since this minute. */
  note({ mode, desired, sizedByPerson, good, moves, ids }: WastedMinute): readonly string[] {
    // In idle mode one goes at a time, and the next when it has left.
    const shrank = mode === 'idle' && desired < this.#desired;
    const begins = shrank || sizedByPerson || mode !== (this.#mode ?? mode);
    // A simple scaling policy waits until every activity of the group has ended, and its cooldown after that.
    const counts = good && !(mode === 'idle' && moves);
    this.#desired = desired;
    this.#mode = mode;
    this.#counts = new Map(ids.map((id) => [id, begins ? 0 : this.of(id) + Number(counts)]));
    return ids.filter((id) => counts && !begins && this.of(id) === mostWasted[mode] + 1);
  }

  /** Those that have been there for too long. */
  tooLong(mode: ScalingMode): readonly string[] {
    return [...this.#counts].flatMap(([id, count]) => (count > mostWasted[mode] ? [id] : []));
  }
}

export const mostWastedMinutes = (mode: ScalingMode): number => mostWasted[mode];
