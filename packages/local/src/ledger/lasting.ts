/** Things without an owner, with the number of undisturbed minutes that they have been there. */
export class Lasting {
  readonly #minutes = new Map<string, number>();
  readonly #limit: number;

  /** After more minutes than `limit` it has lasted too long. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** One more minute; returns what has lasted too long just now. */
  note(found: readonly string[], good: boolean): readonly string[] {
    const present = new Set(found);
    for (const key of [...this.#minutes.keys()]) if (!present.has(key)) this.#minutes.delete(key);
    return [...present].filter((key) => {
      const before = this.#minutes.get(key) ?? 0;
      const minutes = before + Number(good);
      this.#minutes.set(key, minutes);
      return before <= this.#limit && minutes > this.#limit;
    });
  }
}
