import type { CloudWatchNeighbour } from '../../account/neighbours.ts';

interface Directive {
  readonly Namespace?: string;
  readonly Dimensions?: readonly (readonly string[])[];
  readonly Metrics?: readonly { readonly Name?: string; readonly Unit?: string }[];
}

/**
 * The metrics of an event in embedded metric format: CloudWatch Logs extracts them from any event that PutLogEvents accepts
 * (CloudWatch User Guide, "Specification: Embedded metric format"). An event that is not in the format is just an event.
 */
export function extractMetrics(message: string, cloudwatch: CloudWatchNeighbour): void {
  if (!message.includes('"_aws"')) return;
  const root = parse(message);
  const { CloudWatchMetrics: directives = [] } = (root._aws ?? {}) as { CloudWatchMetrics?: readonly Directive[] };
  for (const { Namespace, Dimensions = [], Metrics = [] } of directives)
    for (const names of Dimensions)
      for (const { Name = '', Unit } of Metrics) {
        const value = root[Name];
        const dimensions = Object.fromEntries(names.map((name) => [name, String(root[name])]));
        if (Namespace !== undefined && typeof value === 'number')
          cloudwatch.putMetric(Namespace, Name, dimensions, value, Unit);
      }
}

function parse(message: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(message)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
