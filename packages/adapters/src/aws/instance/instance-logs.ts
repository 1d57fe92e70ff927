import { type LogSource, logStream } from '@drover/core/names/runner-fleet';
import { instead } from '../../instead.ts';
import type { AwsCalls } from '../calls/calls.ts';
import { hasCode } from '../calls/errors.ts';

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
      const absent = instead(hasCode(/^ResourceNotFoundException$/), 'absent');
      if ((await put().catch(absent)) !== 'absent') return;
      // It exists when an attempt whose response was lost has made it meanwhile.
      const exists = instead(hasCode(/^ResourceAlreadyExistsException$/), undefined);
      await aws.logs('CreateLogStream', stream).catch(exists);
      await put();
    },
  };
}
