/** actions/scaleset, README: "Responses contain at most 50 messages". */
const mostEvents = 50;
/** Ids were seen around this number, and begin again when a scale set is made again (cloudbase/garm pull request 506). */
const firstId = 100_000_000;

interface Message {
  readonly id: number;
  readonly events: readonly object[];
}

/** The messages to a scale set's client about jobs. They outlive sessions; unacknowledged ones stay. */
export class MessageQueue {
  readonly #changed: () => void;
  #events: object[] = [];
  #messages: Message[] = [];
  #nextId = firstId;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  put(event: object): void {
    this.#events.push(event);
    this.#changed();
  }

  /** The oldest message after `lastId`: one that was sent and not acknowledged, or a new one. */
  after(lastId: number): Message | undefined {
    const sent = this.#messages.find(({ id }) => id > lastId);
    if (sent !== undefined || this.#events.length === 0) return sent;
    const fresh = { id: this.#nextId++, events: this.#events.splice(0, mostEvents) };
    this.#messages.push(fresh);
    return fresh.id > lastId ? fresh : undefined;
  }

  acknowledge(id: number): void {
    this.#messages = this.#messages.filter((message) => message.id !== id);
  }

  /** Ids begin again; what was not acknowledged is lost with them. */
  restart(): void {
    this.#nextId = firstId;
    this.#messages = [];
  }
}
