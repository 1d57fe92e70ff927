import { type LogSource, logStream } from '@drover/core/names/runner-fleet';
import type { AwsCalls } from '../calls/calls.ts';
import { awsCode } from '../calls/errors.ts';

/** One line of a log, and when it was written. */
interface LogEvent {
  readonly at: number;
  readonly text: string;
}

/** The log streams of one instance in the fleet's log group. A stream is created when it gets its first event. */
export function instanceLogs(aws: Pick<AwsCalls, 'logs'>, group: string, instanceId: string) {
  return {
    /** One request: the caller keeps to the limits of PutLogEvents. */
    async put(source: LogSource, events: readonly LogEvent[]): Promise<void> {
      const stream = { logGroupName: group, logStreamName: logStream(instanceId, source) };
      const logEvents = events.map(({ at, text }) => ({ timestamp: at, message: text }));
      const put = () => aws.logs('PutLogEvents', { ...stream, logEvents });
      try {
        await put();
      } catch (error) {
        if (awsCode(error) !== 'ResourceNotFoundException') throw error;
        await aws.logs('CreateLogStream', stream).catch((refused: unknown) => {
          // Made meanwhile, by an attempt whose response was lost.
          if (awsCode(refused) !== 'ResourceAlreadyExistsException') throw refused;
        });
        await put();
      }
    },
  };
}
