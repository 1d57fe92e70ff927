const maxLines = 1_000;
const maxNames = 200;

/** The newest lines of each unit or program. */
export class LogBook {
  #lines = new Map<string, string[]>();

  add(name: string, line: string): void {
    let lines = this.#lines.get(name);
    if (lines === undefined) {
      if (this.#lines.size >= maxNames) this.#lines.delete(this.#lines.keys().next().value!);
      lines = [];
      this.#lines.set(name, lines);
    }
    lines.push(line);
    if (lines.length > maxLines * 1.25) lines.splice(0, lines.length - maxLines);
  }

  of(name: string): readonly string[] {
    return this.#lines.get(name) ?? [];
  }
}
