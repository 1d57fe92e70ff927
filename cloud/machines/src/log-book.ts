const maxLines = 1_000;
const maxNames = 200;

/**
 * The writer of a line, which no writer can choose (systemd.journal-fields(7), trusted fields), and the name that it
 * gave itself.
 */
interface LogWriter {
  readonly user: string;
  /** The main process of its unit. */
  readonly main: boolean;
  /** SYSLOG_IDENTIFIER=. */
  readonly tag: string | undefined;
}

/** A line of a log, and when it was written. */
export interface LogLine extends LogWriter {
  readonly at: number;
  readonly text: string;
}

interface Log {
  readonly lines: LogLine[];
  /** How many older lines are forgotten. */
  forgotten: number;
}

/** The newest lines of each unit or program. */
export class LogBook {
  #logs = new Map<string, Log>();

  add(name: string, text: string, at: number, { user, main, tag }: LogWriter): void {
    let log = this.#logs.get(name);
    if (log === undefined) {
      if (this.#logs.size >= maxNames) this.#logs.delete(this.#logs.keys().next().value!);
      log = { lines: [], forgotten: 0 };
      this.#logs.set(name, log);
    }
    log.lines.push({ at, text, user, main, tag });
    if (log.lines.length > maxLines * 1.25) log.forgotten += log.lines.splice(0, log.lines.length - maxLines).length;
  }

  of(name: string): readonly string[] {
    return (this.#logs.get(name)?.lines ?? []).map(({ text }) => text);
  }

  /** The lines after the first `count` of all that were ever written. */
  after(name: string, count: number): { readonly lines: readonly LogLine[]; readonly count: number } {
    const { lines, forgotten } = this.#logs.get(name) ?? { lines: [], forgotten: 0 };
    return { lines: lines.slice(Math.max(0, count - forgotten)), count: forgotten + lines.length };
  }
}
