import { expect, it } from 'vitest';
import { overdueMs } from './overdue-limit.ts';

const limit = (within: string) => ({ unhealthy_if_no_snapshot_within: within });
const hours = (count: number) => count * 3_600_000;

it.each([
  ['as a server from 9.1 on keeps it', 'mine', limit('3d'), hours(72)],
  ['in the metadata, where 8.19 keeps it', 'mine', { config: { metadata: limit('90m') } }, hours(1.5)],
  ['of the built-in policy that an earlier release put on 8.19', 'daily-snapshots', { config: {} }, hours(48)],
  ['of no policy that says nothing', 'mine', {}, undefined],
  ['of no policy at all', 'mine', undefined, undefined],
])('the limit after which a snapshot policy is overdue is read %s', (_, id, policy, expected) => {
  expect(overdueMs(id, policy)).toBe(expected);
});
