import type { Journal, JournalEntry } from '@drover/cloud-engine';

/** Requests to AWS that change nothing. The page makes some for whoever looks at it, and nobody looks during a replay. */
const reads = /^(Get|List|Head|Describe)/;
const isRead = ({ kind, source, name }: JournalEntry) =>
  kind === 'request' && source.startsWith('aws.') && reads.test(name);

/** A digest of everything that happened in a world and when, reads aside: equal for two plays that took the same course. */
export class CourseDigest {
  #hash = 0x811c9dc5;
  #entries = 0;

  constructor(journal: Journal) {
    journal.subscribe((entry, text) => {
      if (!isRead(entry)) this.#mix(text);
    });
  }

  get value(): string {
    return `${(this.#hash >>> 0).toString(16).padStart(8, '0')}-${this.#entries}`;
  }

  /** All of the entry but its number, which counts the reads. */
  #mix(text: string): void {
    let hash = this.#hash;
    for (let at = text.indexOf(',') + 1; at < text.length; at++)
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    this.#hash = hash ^ (hash >>> 13);
    this.#entries += 1;
  }
}
