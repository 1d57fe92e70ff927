import { expect, it } from 'vitest';
import { lastKnown } from './last-known.ts';

it('a cluster that cannot be read is shown as it was when it last could, with the age of that', () => {
  const at = Date.UTC(2026, 0, 5, 4, 12, 3);
  const lastRead = { at, health: 'green' as const, activeShards: 24, unassignedShards: 1, documents: 1 };
  expect(lastKnown({ lastRead }, at + 300_000)).toBe(
    'last read 5 min ago, at 04:12:03: green, 24 shards, 1 unassigned, 1 document',
  );
  expect(lastKnown({}, at)).toBe('shards and documents: not known');
});
