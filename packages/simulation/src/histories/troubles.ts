import type { Clock } from '@drover/core';
import type { Excuses } from '@drover/local/checkers/cluster-checkers';

const minute = 60_000;

/** Kind of trouble that a fault makes, as far as checkers excuse something because of it. */
export type TroubleKind =
  /** Nodes of the cluster are away. */
  | 'nodes'
  /** Most masters are lost for good. */
  | 'quorum'
  /** Commands cannot reach Elasticsearch or AWS as usual. */
  | 'calls'
  /** Nothing that a checker of the cluster has to know. */
  | 'other';

interface Trouble {
  readonly kind: TroubleKind;
  readonly from: number;
  until: number;
}

/** Which faults and acts are going on, and when they were: so that checkers can tell what was done to a system from what it does. */
export class Troubles {
  readonly #clock: Clock;
  readonly #all: Trouble[] = [];
  readonly #acts = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A fault begins; returns how to end it. */
  begin(kind: TroubleKind): () => void {
    const trouble: Trouble = { kind, from: this.#clock.now(), until: Number.POSITIVE_INFINITY };
    this.#all.push(trouble);
    return () => {
      trouble.until = Math.min(trouble.until, this.#clock.now());
    };
  }

  /** An act begins; returns how to end it. */
  beginAct(name: string): () => void {
    this.#acts.add(name);
    return () => void this.#acts.delete(name);
  }

  get acts(): readonly string[] {
    return [...this.#acts];
  }

  /** Whether a fault of the kind is on, or was within the last `withinMs`. */
  struck(kind: TroubleKind | 'any', withinMs: number): boolean {
    const since = this.#clock.now() - withinMs;
    return this.#all.some((trouble) => (kind === 'any' || trouble.kind === kind) && trouble.until >= since);
  }

  /** For how long faults of the kind were on since a moment; commands that they met end a little later. */
  lasted(kind: TroubleKind, since: number): number {
    const now = this.#clock.now();
    return this.#all
      .filter((trouble) => trouble.kind === kind)
      .map(({ from, until }) => Math.max(0, Math.min(until + 6 * minute, now) - Math.max(from, since)))
      .reduce((sum, ms) => sum + ms, 0);
  }

  /** Questions of the checkers of the cluster. */
  excuses(isDead: (instanceId: string) => boolean, longestBootMs: number): Excuses {
    return {
      nodesStruck: (withinMs) => this.struck('nodes', withinMs) || this.struck('quorum', withinMs),
      majorityStruck: () => this.struck('quorum', 0),
      searchTroubleMs: (since) => this.lasted('calls', since),
      isDead,
      troubled: () => this.struck('any', 0) || this.#acts.size > 0,
      longestBootMs,
    };
  }
}
