import type { RecentEvent } from '@drover/console/api';
import type { JournalEntry } from '@drover/embedded-cloud';

const kept = 100;

/** The newest things worth showing: state changes, faults and notes, not every request. */
export class RecentEvents {
  #events: RecentEvent[] = [];

  note(entry: JournalEntry): void {
    const event = toEvent(entry);
    if (event === undefined) return;
    this.#events.unshift(event);
    if (this.#events.length > kept) this.#events.length = kept;
  }

  get newestFirst(): readonly RecentEvent[] {
    return this.#events;
  }
}

function toEvent({ at, kind, source, name, subject }: JournalEntry): RecentEvent | undefined {
  if (kind === 'request') return undefined;
  const text = subject === undefined ? name : `${subject}: ${name}`;
  const shown = { at, source: source.replace(/^aws\./, ''), text };
  if (kind === 'fault' || /fail|unhealthy|lost|crash|ALARM|-> red|no way out/.test(name))
    return { ...shown, kind: 'trouble' };
  return { ...shown, kind: kind === 'transition' ? 'change' : 'info' };
}
