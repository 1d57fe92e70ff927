/** The clock side of a target. */
export interface Waiting {
  now(): number;
  pass(ms: number): Promise<void>;
}

const standardLimitMs = 300_000;
const standardPauseMs = 5_000;

/** `until` in terms of `pass`. When time runs out it throws the error of the last look. */
export async function lookUntil<T>(
  clock: Waiting,
  what: string,
  look: () => Promise<T | undefined | false>,
  limitMs = standardLimitMs,
  everyMs = standardPauseMs,
): Promise<T> {
  const deadline = clock.now() + limitMs;
  let trouble: unknown;
  for (;;) {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
      trouble = undefined;
    } catch (error) {
      trouble = error;
    }
    if (clock.now() >= deadline) break;
    await clock.pass(everyMs);
  }
  throw new Error(`not within ${limitMs / 1000} s: ${what}`, { cause: trouble });
}

/** Undoes what a test has made, last in first out; a step that fails does not keep the others from being tried. */
export class Cleanup {
  readonly #steps: (() => Promise<unknown>)[] = [];

  add(undo: () => Promise<unknown>): void {
    this.#steps.push(undo);
  }

  async run(): Promise<readonly string[]> {
    const failures: string[] = [];
    for (let undo = this.#steps.pop(); undo !== undefined; undo = this.#steps.pop())
      await undo().catch((error: unknown) => {
        if (!isGone(error)) failures.push(String(error));
      });
    return failures;
  }
}

/** The resource to be removed is gone already. */
const isGone = (error: unknown): boolean =>
  /NotFound|NoSuchEntity|NonExistent|does ?n.t exist|not exist|not found/i.test(`${(error as Error).name} ${error}`);
