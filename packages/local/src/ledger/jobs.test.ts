import type { JobLoss } from '@drover/cloud-github';
import { describe, expect, it } from 'vitest';
import { accountLoss, type InstanceFate, type JobAccount } from './jobs.ts';

const minute = 60_000;
const lostAt = 100 * minute;
const nothing: InstanceFate = { terminatingAt: undefined, reclaimedAt: undefined, crashedAt: undefined };

interface Given {
  readonly fate?: Partial<InstanceFate>;
  readonly workerExisted?: boolean;
  readonly dispatchedAt?: number;
  readonly startedAt?: number;
  readonly removedAt?: number;
  readonly neverDispatched?: boolean;
  readonly unanswered?: number;
}

function account({ fate, workerExisted = true, dispatchedAt = lostAt - 5 * minute, ...given }: Given): JobAccount {
  const removal = given.removedAt === undefined ? undefined : { at: given.removedAt };
  const runner = given.neverDispatched ? undefined : { id: 1, name: 'i-1', listenerStop: undefined, removal };
  const { unanswered = 0 } = given;
  const { startedAt } = given;
  const loss = {
    job: { id: 1, dispatchedAt, startedAt },
    cause: 'cancelled',
    lostAt,
    workerExisted,
    unanswered,
    runner,
  };
  return accountLoss(loss as unknown as JobLoss, { ...nothing, ...fate }, 15 * minute);
}

const sentAt = (dispatched: number, started: number) => ({
  dispatchedAt: lostAt + dispatched,
  startedAt: lostAt + started,
});

describe('a lost job', () => {
  it.each<[string, JobAccount, Given]>([
    ['on an instance in service', 'ours', {}],
    ['before allowed_drain_time was over', 'ours', { fate: { terminatingAt: lostAt - 15 * minute + 1 } }],
    [
      'when allowed_drain_time was over, on an instance that a person terminated',
      'ended-by-drain-time',
      { fate: { terminatingAt: lostAt - 15 * minute, begunBy: 'person' } },
    ],
    [
      'when allowed_drain_time was over, on an instance that a deployment replaced',
      'ended-by-our-act',
      { fate: { terminatingAt: lostAt - 15 * minute, begunBy: 'us' } },
    ],
    [
      'which its runner had given up because GitHub was away, before its host was let go',
      'platform-away',
      {
        unanswered: 5,
        ...sentAt(-20 * minute, -19 * minute),
        fate: { terminatingAt: lostAt - 15 * minute, workerEndedAt: lostAt - 16 * minute, begunBy: 'us' },
      },
    ],
    [
      'which ran while GitHub was away and its host was let go, when only the job before it had ended',
      'ended-by-our-act',
      {
        unanswered: 5,
        ...sentAt(-18 * minute, -17 * minute),
        fate: { terminatingAt: lostAt - 15 * minute, workerEndedAt: lostAt - 18 * minute, begunBy: 'us' },
      },
    ],
    [
      'which had no Worker yet while GitHub was away and its host was let go, when the job before it had ended',
      'ended-by-our-act',
      {
        unanswered: 5,
        workerExisted: false,
        fate: { terminatingAt: lostAt - 15 * minute, workerEndedAt: lostAt - 16 * minute, begunBy: 'us' },
      },
    ],
    [
      'which ran on while GitHub was away, until its host was let go',
      'ended-by-our-act',
      {
        unanswered: 5,
        ...sentAt(-20 * minute, -19 * minute),
        fate: { terminatingAt: lostAt - 15 * minute, workerEndedAt: lostAt - 14 * minute, begunBy: 'us' },
      },
    ],
    [
      'which was under way to its host when a scale-in took it',
      'dispatch-gap',
      {
        ...sentAt(-15 * minute - 3_000, -15 * minute + 1),
        fate: { terminatingAt: lostAt - 15 * minute, begunBy: 'us' },
      },
    ],
    [
      'which its host had when a scale-in took it',
      'ended-by-our-act',
      { ...sentAt(-15 * minute - 3_000, -15 * minute), fate: { terminatingAt: lostAt - 15 * minute, begunBy: 'us' } },
    ],
    [
      'which was sent to its host within 15 seconds of a scale-in, before the host could know',
      'dispatch-gap',
      {
        ...sentAt(-15 * minute + 15_000, -15 * minute + 18_000),
        fate: { terminatingAt: lostAt - 15 * minute, begunBy: 'us' },
      },
    ],
    [
      'which was sent to its host when that could have known of a scale-in',
      'ended-by-our-act',
      {
        ...sentAt(-15 * minute + 15_001, -15 * minute + 18_000),
        fate: { terminatingAt: lostAt - 15 * minute, begunBy: 'us' },
      },
    ],
    ['after spot capacity was taken away', 'spot-reclaim', { fate: { reclaimedAt: lostAt } }],
    ['before spot capacity was taken away', 'ours', { fate: { reclaimedAt: lostAt + 1 } }],
    ['after the machine crashed', 'crash', { fate: { crashedAt: lostAt - 1 } }],
    ['within a minute of the first that its broken host lost', 'broken-host', { fate: { brokenAt: lostAt - minute } }],
    [
      'more than a minute after the first that its broken host lost',
      'ours',
      { fate: { brokenAt: lostAt - minute - 1 } },
    ],
    ['before the machine crashed', 'ours', { fate: { crashedAt: lostAt + 1 } }],
    [
      'that was dispatched a minute before our DELETE, without a Worker',
      'dispatch-gap',
      { workerExisted: false, dispatchedAt: lostAt - minute, removedAt: lostAt },
    ],
    [
      'that was dispatched more than a minute before our DELETE',
      'ours',
      { workerExisted: false, dispatchedAt: lostAt - minute - 1, removedAt: lostAt },
    ],
    [
      'that was dispatched just before our DELETE but had a Worker',
      'ours',
      { workerExisted: true, dispatchedAt: lostAt - 1, removedAt: lostAt },
    ],
    [
      'that was dispatched after our DELETE',
      'ours',
      { workerExisted: false, dispatchedAt: lostAt - 1, removedAt: lostAt - 2 },
    ],
    ['without a Worker and without our DELETE', 'ours', { workerExisted: false, dispatchedAt: lostAt - 1 }],
    ['whose runner found GitHub away five times in a row', 'platform-away', { unanswered: 5 }],
    ['whose runner found GitHub away less often than it survives', 'ours', { unanswered: 4 }],
    ['that no runner ever had', 'never-started', { neverDispatched: true }],
  ])('%s goes to the account: %s', (_, expected, given) => {
    expect(account(given)).toBe(expected);
  });
});
