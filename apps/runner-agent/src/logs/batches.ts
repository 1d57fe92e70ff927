/** One line of a log, and when it was written. */
export interface LogEvent {
  readonly at: number;
  readonly text: string;
}

/** The limits of one PutLogEvents (CloudWatch Logs API reference): each event counts 26 bytes more than its text. */
const mostEvents = 10_000;
const mostBytes = 1_048_576;
const eventBytes = 26;
const mostSpanMs = 24 * 3_600_000;
/** Longer lines are cut. Far below the limit of an event, so that a batch always has room for one. */
const longestText = 64 * 1024;

/** The writer of events' text: the agent itself, or a program that a job may have started. */
type Writer = 'agent' | 'anybody';

/**
 * The events in batches that PutLogEvents takes: by time, without empty ones, and without anything that looks like a
 * credential. Text of other writers makes no metrics.
 */
export function batches(events: readonly LogEvent[], writer: Writer): LogEvent[][] {
  const made: LogEvent[][] = [];
  let bytes = 0;
  for (const { at, text } of [...events].sort((a, b) => a.at - b.at)) {
    const redacted = redact(text.slice(0, longestText));
    const shown = writer === 'agent' ? redacted : withoutMetrics(redacted);
    if (shown.trim() === '') continue;
    const size = Buffer.byteLength(shown) + eventBytes;
    const batch = made.at(-1);
    if (
      batch === undefined ||
      batch.length === mostEvents ||
      bytes + size > mostBytes ||
      at - batch[0]!.at >= mostSpanMs
    ) {
      made.push([{ at, text: shown }]);
      bytes = size;
    } else {
      batch.push({ at, text: shown });
      bytes += size;
    }
  }
  return made;
}

/** Programs of ours log no secret. Commands of `post_runcmd` and packages may: what can be recognised does not leave the instance. */
const credentials = [
  // GitHub's tokens by their prefixes, and registration tokens, which have none.
  /\b(gh[pousr]_\w{20,}|github_pat_\w{20,}|A[A-Z2-7]{28})\b/g,
  // Keys of AWS, and what stands after their usual names.
  /\b(AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /(?<=(?:secret_?access_?key|session_?token|password|authorization)["']?\s*[=:]\s*["']?(?:token |bearer |basic )?)[^\s"',]{8,}/gi,
  // A line of a key in PEM.
  /^[A-Za-z0-9+/]{60,80}={0,2}$/g,
];

const redact = (text: string): string =>
  credentials.reduce((shown, pattern) => shown.replace(pattern, '[redacted]'), text);

/**
 * The key by which CloudWatch Logs makes metrics of an event, of any namespace of the account and with no right but PutLogEvents (CloudWatch
 * User Guide, "Specification: Embedded metric format"), in each way that JSON can spell it. In a longer word it is none.
 */
const metricsKey = /(?<![A-Za-z0-9])(?:_|\\u005[fF])(?:a|\\u0061)(?:w|\\u0077)(?:s|\\u0073)(?![A-Za-z0-9_])/g;

/** Renames it wherever it stands: the text before it, and its depth, are for the readers of the log. */
const withoutMetrics = (text: string): string => text.replace(metricsKey, 'x_aws');
