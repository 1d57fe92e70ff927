import { type LogLine, logLines } from '@drover/operator/fleet/function-log';
import type { OperatorClients } from '@drover/operator/io';

/** Lines may come later than they were written: so far back is read again. */
const lateMs = 60_000;

/** The lines of a log group that match, each once, as they come in. */
export class LogTail {
  readonly #aws: Pick<OperatorClients, 'logs'>;
  readonly #filter: { readonly logGroupName: string; readonly filterPattern: string };
  #from: number;
  #seen = new Map<string, number>();

  constructor(
    aws: Pick<OperatorClients, 'logs'>,
    filter: { readonly logGroupName: string; readonly filterPattern: string },
    since: number,
  ) {
    this.#aws = aws;
    this.#filter = filter;
    this.#from = since;
  }

  /** Those that are new, oldest first. A group that does not exist (yet) has none. */
  async more(): Promise<LogLine[]> {
    const fresh: LogLine[] = [];
    try {
      for await (const line of logLines(this.#aws, { ...this.#filter, startTime: this.#from })) {
        const key = `${line.at} ${line.stream} ${line.text}`;
        if (!this.#seen.has(key)) fresh.push(line);
        this.#seen.set(key, line.at);
      }
    } catch (error) {
      if ((error as Error).name !== 'ResourceNotFoundException') throw error;
    }
    const newest = Math.max(this.#from + lateMs, ...fresh.map(({ at }) => at));
    this.#from = newest - lateMs;
    for (const [key, at] of this.#seen) if (at < this.#from) this.#seen.delete(key);
    return fresh;
  }
}
