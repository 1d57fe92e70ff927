import type { JournalEntry } from '@drover/cloud-engine';
import { expect, it } from 'vitest';
import { LaunchWatch } from './launch-watch.ts';

const entry = (name: string, at: number): JournalEntry =>
  ({ id: at, at, kind: 'transition', source: 'aws.autoscaling', name, subject: 'i-1' }) as unknown as JournalEntry;

it.each([
  ['counts as failed', false],
  ['counts as no failed boot when it was made for the mode before', true],
])('a launch from the warm pool that its host gives up %s', (_, ofOtherMode) => {
  const fate = { terminatingAt: 2, begunBy: 'us', reclaimedAt: undefined, crashedAt: undefined } as const;
  const watch = new LaunchWatch({ fateOf: () => fate }, { isOurs: () => true, isOfOtherMode: () => ofOtherMode });

  watch.note(entry('Warmed:Hibernated -> Pending', 0));
  watch.note(entry('Pending:Wait -> Terminating', 2));

  expect(watch.recent(3)).toMatchObject([{ instanceId: 'i-1', struck: ofOtherMode, endedAt: 2, begunBy: 'us' }]);
});
