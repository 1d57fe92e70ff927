import { defaultNodeLeftDelay, nodeLeftNote, nodeLeftSetting } from '@drover/core/names/search-cluster';
import { decideNodeLeftDelay } from '../decide/node-left-delay.ts';
import type { ClusterSettings, IndexSettings } from '../ports.ts';

export interface NodeLeftRun {
  readonly settings: ClusterSettings;
  readonly indices: IndexSettings;
}

/**
 * Keeps the delay on every index, also on those that were made since the last run. The note comes last: a run that dies is
 * followed by one that still knows which value was set before.
 */
export async function keepNodeLeftDelay(
  { settings, indices }: NodeLeftRun,
  wanted: string,
): Promise<'unchanged' | 'created' | 'changed'> {
  const noted = await settings.persistent(nodeLeftNote);
  // Nothing was ever set, and nothing is to be.
  if ([wanted, noted ?? wanted].every((value) => value === defaultNodeLeftDelay)) return 'unchanged';
  const change = decideNodeLeftDelay({ values: await indices.values(nodeLeftSetting), noted, wanted });
  if (change.indices.length > 0) await indices.set(change.indices, nodeLeftSetting, change.value);
  if (noted !== wanted) await settings.setPersistent(nodeLeftNote, wanted);
  if (noted === undefined) return 'created';
  return noted === wanted && change.indices.length === 0 ? 'unchanged' : 'changed';
}
