import type { JournalEntry } from '@drover/cloud-engine';
import { functionName } from '@drover/core/names/runner-fleet';
import type { DeployedFleet } from '@drover/stage/fleet';

/** Calls `listener` when a window of the demand has ended; returns how to unsubscribe. */
export function onWindowEnd(
  { world, groupName }: DeployedFleet,
  listener: (entry: JournalEntry & { readonly durationMs: number }) => void,
): () => void {
  const demand = functionName(groupName, 'demand');
  return world.engine.journal.subscribe((entry) => {
    const { source, name, subject, detail } = entry;
    if (source === 'aws.lambda' && subject === demand && (name === 'succeeded' || name === 'failed'))
      listener({ ...entry, durationMs: Number(detail?.durationMs) });
  });
}

export async function untilWindowEnds(fleet: DeployedFleet): Promise<void> {
  let ended = false;
  const unsubscribe = onWindowEnd(fleet, () => {
    ended = true;
  });
  await fleet.until('a window of the demand ends', () => ended, 60 * 60_000);
  unsubscribe();
}
