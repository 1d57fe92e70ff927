import type { World } from '@drover/embedded-cloud';

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

  constructor(world: World, secrets: () => readonly string[], found: (place: string, text: string) => void) {
    this.#secrets = secrets;
    this.#found = found;
    world.engine.journal.subscribe((_, text) => this.#read('the journal', text));
    world.machines.watchWith({
      started: (_, { argv, env }) => {
        this.#read('an argument list', argv.join(' '));
        for (const [key, value] of Object.entries(env)) this.#read(`the environment variable ${key}`, value);
      },
      logged: (_, unit, line) => this.#read(`the log of ${unit}`, line),
    });
  }

  #read(place: string, text: string): void {
    for (const [word] of text.matchAll(words))
      if (this.#isSecret(word)) this.#found(place, text.replaceAll(word, '[secret]').slice(0, 200));
  }

  #isSecret(word: string): boolean {
    const secrets = this.#secrets();
    for (; this.#knownCount < secrets.length; this.#knownCount++) this.#known.add(secrets[this.#knownCount]!);
    return this.#known.has(word);
  }
}
