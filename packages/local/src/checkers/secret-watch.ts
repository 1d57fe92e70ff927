import type { World } from '@drover/cloud-world';

/** Words that are long enough to be a secret. */
const words = /\w{20,}/g;

/**
 * Reads everything that machines and the journal write, as it is written: processes end and old lines are dropped. A
 * secret is always older than the line that betrays it.
 */
export class SecretWatch {
  readonly #secrets: () => readonly string[];
  readonly #found: (place: string, text: string) => void;
  #known = new Set<string>();
  #knownCount = 0;
  /** Journal texts since the newest secret was made, without times: the same things happen all day. */
  #clean = new Set<string>();

  constructor(world: World, secrets: () => readonly string[], found: (place: string, text: string) => void) {
    this.#secrets = secrets;
    this.#found = found;
    world.engine.journal.subscribe((_, text) => this.#readJournal(text));
    world.machines.watchWith({
      started: (_, { argv, env }) => {
        this.#read('an argument list', argv.join(' '));
        for (const [key, value] of Object.entries(env)) this.#read(`the environment variable ${key}`, value);
      },
      logged: (_, unit, line) => this.#read(`the log of ${unit}`, line),
    });
  }

  #readJournal(text: string): void {
    this.#learn();
    // Number and time stand first, and are no secrets.
    const said = text.slice(text.indexOf('"kind":'));
    if (!this.#clean.has(said) && !this.#read('the journal', text)) this.#clean.add(said);
  }

  /** Whether a secret shows in it. */
  #read(place: string, text: string): boolean {
    this.#learn();
    const shown = (text.match(words) ?? []).filter((word) => this.#known.has(word));
    for (const word of shown) this.#found(place, text.replaceAll(word, '[secret]').slice(0, 200));
    return shown.length > 0;
  }

  #learn(): void {
    const secrets = this.#secrets();
    if (this.#knownCount === secrets.length) return;
    for (; this.#knownCount < secrets.length; this.#knownCount++) this.#known.add(secrets[this.#knownCount]!);
    this.#clean.clear();
  }
}
