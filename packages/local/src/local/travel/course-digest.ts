import type { Journal, JournalEntry } from '@drover/cloud-engine';

const read = /^(Describe|Filter|Get|Head|List)/;
const readOfAService = /^[^.]+\.(Describe|Filter|Get|Head|List)/;

/**
 * Reads of AWS, and faults that strike one or strike a request to the search cluster. The page makes such requests for
 * its viewers, as does a client from outside, and there are none during a replay.
 */
function mayBeOfThePage({ kind, source, name, detail }: JournalEntry): boolean {
  if (kind === 'request') return source.startsWith('aws.') && read.test(name);
  return kind === 'fault' && (source === 'search' || readOfAService.test(String(detail?.operation)));
}

/** A digest of everything that happened in a world and when, but for what a page may cause: equal for two plays that took the same course. */
export class CourseDigest {
  #hash = 0x811c9dc5;
  #entries = 0;

  constructor(journal: Journal) {
    journal.subscribe((entry, text) => {
      if (!mayBeOfThePage(entry)) this.#mix(text);
    });
  }

  get value(): string {
    return `${(this.#hash >>> 0).toString(16).padStart(8, '0')}-${this.#entries}`;
  }

  /** All of the entry but its number, which counts those that are left out too. */
  #mix(text: string): void {
    let hash = this.#hash;
    for (let at = text.indexOf(',') + 1; at < text.length; at++)
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    this.#hash = hash ^ (hash >>> 13);
    this.#entries += 1;
  }
}
