import { type LogLine, logLines } from '@drover/operator/fleet/function-log';
import type { OperatorClients } from '@drover/operator/io';

/** Lines may come later than they were written: so far back is read again. */
const lateMs = 60_000;

/** Reads the lines of a log group that match and are new, oldest first, each once. A group that does not exist (yet) has none. */
export function logTail(
  aws: Pick<OperatorClients, 'logs'>,
  filter: { readonly logGroupName: string; readonly filterPattern: string },
  since: number,
): () => Promise<LogLine[]> {
  const seen = new Map<string, number>();
  let from = since;
  return async () => {
    const fresh: LogLine[] = [];
    try {
      for await (const line of logLines(aws, { ...filter, startTime: from })) {
        const key = `${line.at} ${line.stream} ${line.text}`;
        if (!seen.has(key)) fresh.push(line);
        seen.set(key, line.at);
      }
    } catch (error) {
      if ((error as Error).name !== 'ResourceNotFoundException') throw error;
    }
    const newest = Math.max(from + lateMs, ...fresh.map(({ at }) => at));
    from = newest - lateMs;
    for (const [key, at] of seen) if (at < from) seen.delete(key);
    return fresh;
  };
}
