import { describe, expect, it } from 'vitest';
import { activityIn, causeOf } from './cause.ts';

const at = 'At 2026-01-05T00:00:08Z';

describe('the cause of a scaling activity', () => {
  it.each([
    [
      `${at} a monitor alarm idle_runners_low in state ALARM triggered policy grow changing the desired capacity from 1 to 3.  ${at} an instance was started in response to a difference between desired and actual capacity, increasing the capacity from 1 to 3.`,
      'a monitor alarm idle_runners_low in state ALARM triggered policy grow changing the desired capacity from 1 to 3',
    ],
    [
      `${at} an instance was taken out of service in response to an EC2 instance status checks failure.`,
      'an EC2 instance status checks failure',
    ],
    [
      `${at} a user request explicitly set group desired capacity changing the desired capacity from 3 to 2.  ${at} an instance was taken out of service in response to a difference between desired and actual capacity, shrinking the capacity from 3 to 2.  ${at} instance i-1 was selected for termination.`,
      'a user request explicitly set group desired capacity changing the desired capacity from 3 to 2',
    ],
    [
      `${at} an instance was started in response to a difference between desired and actual capacity, increasing the capacity from 1 to 2.`,
      'a difference between desired and actual capacity, increasing the capacity from 1 to 2',
    ],
    ['', ''],
  ])('the cause of %j is what led to it', (text, cause) => {
    expect(causeOf(text)).toBe(cause);
  });

  it('a launch that failed has its cause where it began and its message where it ended', () => {
    const description = 'Launching a new EC2 instance: i-1.  Status Reason: the hook was abandoned';
    const began = activityIn(`${description}: ${at} an instance was started in response to a user request.`, 'i-1');
    expect(began).toMatchObject({ outcome: undefined, cause: 'a user request' });
    const ended = activityIn(`${description}: Cancelled: the hook was abandoned`, 'i-1');
    expect(ended).toMatchObject({ outcome: 'Cancelled', message: 'the hook was abandoned' });
  });
});
