import { expect, it } from 'vitest';
import { playSnapshotCalendar } from './support/snapshot-calendar.ts';

// Fourteen months with the hourly policy too: `npm run campaign -- --scenario snapshots`.
/** `npm run test:thorough` */
const thorough = process.env.DROVER_THOROUGH === '1';

it('fourteen months of snapshots without the hourly ones: at the end of each day those of the table are there, and no others', {
  skip: !thorough,
  timeout: 600_000,
}, async () => {
  const faults = await playSnapshotCalendar({ startsAtMs: Date.UTC(2026, 0, 5), days: 14 * 30.5, hourly: false });

  expect(faults.slice(0, 10)).toEqual([]);
});

it('two months of snapshots by all policies, over the end of a year: at the end of each day those of the table are there, and no others', {
  timeout: 600_000,
}, async () => {
  const faults = await playSnapshotCalendar({ startsAtMs: Date.UTC(2026, 10, 20), days: 60 });

  expect(faults.slice(0, 10)).toEqual([]);
});
