import type { CloudWatchNeighbour } from '../../account/neighbours.ts';

interface Directive {
  readonly Namespace?: string;
  readonly Dimensions?: readonly (readonly string[])[];
  readonly Metrics?: readonly { readonly Name?: string; readonly Unit?: string }[];
}

/**
 * The metrics of an event in embedded metric format: CloudWatch Logs extracts them from any event, regardless of its
 * writer ("When calling PutLogEvents, you have the option to include the following HTTP header … but it's not
 * required"; CloudWatch User Guide, "Specification: Embedded metric format" and "Using the PutLogEvents API"). An event
 * that is not in the format is just an event. Text before the object, which the specification forbids, is skipped:
 * Lambda's own is, in lines of `console.log` (aws-powertools/powertools-lambda-typescript issue 1766).
 */
export function extractMetrics(message: string, cloudwatch: CloudWatchNeighbour): void {
  if (!message.includes('CloudWatchMetrics') && !message.includes('\\u')) return;
  const root = parse(message.slice(message.indexOf('{')));
  const { CloudWatchMetrics: directives } = Object(root._aws) as { CloudWatchMetrics?: unknown };
  for (const { Namespace, Dimensions = [[]], Metrics = [] } of listOf<Directive>(directives))
    for (const names of listOf<readonly string[]>(Dimensions))
      for (const { Name = '', Unit } of listOf<{ readonly Name?: string; readonly Unit?: string }>(Metrics)) {
        const dimensions = Object.fromEntries(listOf<string>(names).map((name) => [String(name), String(root[name])]));
        for (const value of [root[Name]].flat())
          if (Namespace !== undefined && typeof value === 'number')
            cloudwatch.putMetric(String(Namespace), String(Name), dimensions, value, Unit);
      }
}

/** The writer of the event may have written anything. */
const listOf = <T>(value: unknown): T[] => (Array.isArray(value) ? value.map((each) => Object(each) as T) : []);

function parse(json: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(json)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
