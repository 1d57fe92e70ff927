import type { JournalEntry } from '@drover/cloud-engine';
import type { FunctionState, LifeEvent } from '@drover/observation/api';
import { type FleetEvent, lifeEvent } from '@drover/observation/story/events';

const instancesKept = 400;
const eventsKept = 200;
const runsKept = 5;

/** The lives of instances, alarms and functions, as the journal records them. */
export class Lives {
  readonly #instances = new Map<string, LifeEvent[]>();
  readonly #since = new Map<string, number>();
  readonly #functions = new Map<string, { runs: number; errors: number; last: FunctionState['last'] }>();

  note(entry: JournalEntry, event: FleetEvent | undefined): void {
    const { source, kind, subject = '', at } = entry;
    if (kind === 'transition' && (source === 'aws.autoscaling' || source === 'aws.cloudwatch'))
      this.#since.set(subject, at);
    if (source === 'aws.lambda') this.#noteRun(entry);
    if (event?.instance === undefined) return;
    const life = this.#lifeOf(event.instance);
    life.push(lifeEvent(event));
    if (life.length > eventsKept) life.shift();
  }

  /** Oldest first. */
  of(instanceId: string): readonly LifeEvent[] {
    return this.#instances.get(instanceId) ?? [];
  }

  /** Since when an instance or an alarm is in its present state. */
  since(subject: string): number | undefined {
    return this.#since.get(subject);
  }

  functions(names: readonly string[]): FunctionState[] {
    return names.map((name) => ({ name, ...(this.#functions.get(name) ?? { runs: 0, errors: 0, last: [] }) }));
  }

  #lifeOf(instanceId: string): LifeEvent[] {
    const known = this.#instances.get(instanceId);
    if (known !== undefined) return known;
    const [oldest] = this.#instances.keys();
    if (this.#instances.size >= instancesKept && oldest !== undefined) {
      this.#instances.delete(oldest);
      this.#since.delete(oldest);
    }
    const life: LifeEvent[] = [];
    this.#instances.set(instanceId, life);
    return life;
  }

  #noteRun({ name, subject = '', at, detail }: JournalEntry): void {
    if (name !== 'succeeded' && name !== 'failed') return;
    const ok = name === 'succeeded';
    const { runs, errors, last } = this.#functions.get(subject) ?? { runs: 0, errors: 0, last: [] };
    const text = ok ? 'succeeded' : `failed: ${String(detail?.error)}`;
    this.#functions.set(subject, {
      runs: runs + 1,
      errors: errors + (ok ? 0 : 1),
      last: [{ at, ok, text }, ...last].slice(0, runsKept),
    });
  }
}
