import type { Clock } from '@drover/core';

/** One thing that happened. Never holds a body or a secret: names, ids, states and error codes only. */
export interface JournalEntry {
  readonly seq: number;
  readonly at: number;
  readonly kind: 'request' | 'event' | 'transition' | 'fault' | 'note';
  /** The part of the world that it happened in, e.g. `aws.autoscaling`, `platform`, `machine`, `search`. */
  readonly source: string;
  /** Operation, detail type, or `from -> to` of a transition. */
  readonly name: string;
  /** The subject, e.g. an instance id. */
  readonly subject?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export type JournalRecord = Omit<JournalEntry, 'seq' | 'at'>;

/** The bounded record of everything that happened, with a digest over all of it, also what was dropped. */
export class Journal {
  #clock: Clock;
  #limit: number;
  #entries: JournalEntry[] = [];
  #seq = 0;
  #digest = 0xcbf29ce4;
  #listeners = new Set<(entry: JournalEntry, text: string) => void>();

  constructor(clock: Clock, limit = 200_000) {
    this.#clock = clock;
    this.#limit = limit;
  }

  record(record: JournalRecord): void {
    const entry: JournalEntry = { seq: this.#seq++, at: this.#clock.now(), ...record };
    const text = JSON.stringify(entry);
    this.#mix(text);
    this.#entries.push(entry);
    if (this.#entries.length > this.#limit * 1.25) this.#entries.splice(0, this.#entries.length - this.#limit);
    for (const listener of this.#listeners) listener(entry, text);
  }

  /** The newest entries, oldest first. */
  get entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  /** How many things were ever recorded. */
  get length(): number {
    return this.#seq;
  }

  /** Equal for two runs in which the same things happened at the same times in the same order. */
  get digest(): string {
    return (this.#digest >>> 0).toString(16).padStart(8, '0') + this.#seq.toString(16).padStart(8, '0');
  }

  /** Calls `listener` with each new entry, and the entry as text; returns how to unsubscribe. */
  subscribe(listener: (entry: JournalEntry, text: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #mix(text: string): void {
    let hash = this.#digest;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    this.#digest = hash ^ (hash >>> 13);
  }
}
