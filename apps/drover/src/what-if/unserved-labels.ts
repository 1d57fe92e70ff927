import { labels as fleetLabels } from '@drover/core/names/runner-fleet';
import type { Candidate } from './assemble.ts';
import type { Trace } from './trace.ts';

/** Every runner of the replay has these. Labels are compared without regard to case. */
const everywhere = fleetLabels.usual('x64').map((label) => label.toLowerCase());

/** Labels that jobs ask for and no runner of a candidate has: such jobs wait for a day and are dropped. */
export function unservedLabels({ name, extraLabels }: Candidate, trace: Trace): string[] {
  const counts = new Map<string, number>();
  for (const { labels } of trace.jobs)
    for (const label of new Set(labels.map((each) => each.toLowerCase())))
      if (!everywhere.includes(label) && !extraLabels.includes(label)) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].map(
    ([label, count]) =>
      `${name}: ${count} jobs ask for the label ${label}, which no runner has; add it to extra_labels or they are lost after a day`,
  );
}
