import { expect, it } from 'vitest';
import { byUs, type JobAccount } from '../../ledger/jobs.ts';
import { lostBy } from './lost-by.ts';

const accounts: Readonly<Record<JobAccount, true>> = {
  'spot-reclaim': true,
  crash: true,
  'platform-away': true,
  'broken-host': true,
  'ended-by-drain-time': true,
  'dispatch-gap': true,
  'ended-by-our-act': true,
  'never-started': true,
  ours: true,
};

it('a lost job is shown as lost by us exactly where the ledger has it on our account, or on none', () => {
  const ours = (Object.keys(accounts) as JobAccount[]).filter((account) => lostBy(account) === 'by us');
  expect(ours).toEqual([...byUs]);
  expect(lostBy(undefined)).toBe('by us');
});
