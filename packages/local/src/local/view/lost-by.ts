import type { LostBy } from '@drover/observation/api';
import type { JobAccount } from '../../ledger/jobs.ts';

/** The ledger's accounts of lost jobs in the words of the page. Only those from outside are not ours. */
const words: Readonly<Partial<Record<JobAccount, LostBy>>> = {
  'spot-reclaim': 'by hardware',
  crash: 'by hardware',
  'platform-away': 'by GitHub',
  'ended-by-drain-time': 'by the drain time',
  'broken-host': 'by a broken host',
  'dispatch-gap': 'on the way',
};

export const lostBy = (account: JobAccount | undefined): LostBy =>
  (account === undefined ? undefined : words[account]) ?? 'by us';
