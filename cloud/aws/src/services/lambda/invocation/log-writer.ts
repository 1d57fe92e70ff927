import type { AwsNeighbours } from '../../../account/neighbours.ts';
import type { Credentials } from '../../../account/service.ts';
import type { FunctionSettings } from '../model.ts';

const levels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'];

/** Characters of one log line that are kept; a CloudWatch Logs event holds at most 1 MiB. */
const lineLimit = 262_144;

/**
 * Writes the log stream of one execution environment: `YYYY/MM/DD/[$LATEST]<id>` in `/aws/lambda/<function>` or the
 * group of the logging configuration. Without permission in the execution role nothing arrives, as in AWS.
 * (Developer Guide, "Sending Lambda function logs to CloudWatch Logs".)
 */
export class LogWriter {
  readonly group: string;
  readonly stream: string;
  readonly #aws: AwsNeighbours;
  readonly #settings: FunctionSettings;
  readonly #allowed: boolean;
  readonly #role: Credentials;
  /** The last lines of the running invocation, for `LogType: Tail`. */
  tail: string[] = [];

  constructor(aws: AwsNeighbours, functionName: string, settings: FunctionSettings, id: string, role: Credentials) {
    const day = new Date(aws.engine.clock.now()).toISOString().slice(0, 10).replaceAll('-', '/');
    this.#aws = aws;
    this.#settings = settings;
    this.group = settings.logging.group ?? `/aws/lambda/${functionName}`;
    this.stream = `${day}/[$LATEST]${id}`;
    this.#role = role;
    this.#allowed = this.#mayWrite();
  }

  /** A line of the program, as `console` writes it. */
  program(level: string, message: string, requestId: string): void {
    const { format, applicationLevel } = this.#settings.logging;
    const timestamp = this.#timestamp();
    if (format === 'Text') this.#write(`${timestamp}\t${requestId}\t${level}\t${message}`);
    else if (levels.indexOf(level) >= levels.indexOf(applicationLevel))
      this.#write(JSON.stringify({ timestamp, level, requestId, message: structured(message) }));
  }

  /** Text that was written to the process's output as it is. */
  raw(text: string): void {
    if (text.trim() !== '') this.#write(text.replace(/\n$/, ''));
  }

  /** A line of the platform: START, END, REPORT. */
  platform(text: string, type: string, record: Readonly<Record<string, unknown>>): void {
    if (this.#settings.logging.format === 'Text') this.#write(text);
    else if (this.#settings.logging.systemLevel === 'INFO' || this.#settings.logging.systemLevel === 'DEBUG')
      this.#write(JSON.stringify({ time: this.#timestamp(), type, record }));
  }

  #timestamp(): string {
    return new Date(this.#aws.engine.clock.now()).toISOString();
  }

  #write(line: string): void {
    this.tail.push(line);
    if (this.tail.length > 1_000) this.tail.shift();
    if (!this.#allowed) return;
    // A group that was deleted meanwhile comes back only where the role may create it: it does not for an invocation that outlives its stack.
    if (this.#aws.logs.exists(this.group) || this.#mayWrite())
      this.#aws.logs.append(this.group, this.stream, line.slice(0, lineLimit));
  }

  #mayWrite(): boolean {
    const { iam, region, accountId } = this.#aws;
    const resource = `arn:aws:logs:${region}:${accountId}:log-group:${this.group}:log-stream:${this.stream}`;
    try {
      const principal = iam.principalFor(this.#role.accessKeyId, this.#role.sessionToken);
      const needed = this.#aws.logs.exists(this.group) ? [] : ['logs:CreateLogGroup'];
      for (const action of [...needed, 'logs:CreateLogStream', 'logs:PutLogEvents'])
        iam.authorize(principal, { action, resource }, 'logs');
      return true;
    } catch {
      this.#aws.engine.journal.record({
        kind: 'note',
        source: 'aws.lambda',
        name: 'the execution role may not write logs',
        subject: this.group,
      });
      return false;
    }
  }
}

/** A line that is JSON is nested, not quoted again. */
function structured(message: string): unknown {
  if (!message.startsWith('{')) return message;
  try {
    return JSON.parse(message);
  } catch {
    return message;
  }
}
