import { describe, expect, it } from 'vitest';
import { type Beginner, type TerminationFacts, whoBegan } from './who-began.ts';

const at = 'At 2026-06-01T00:00:00Z';
const root = 'arn:aws:iam::123456789012:root';
const program = 'arn:aws:sts::123456789012:assumed-role/runners_demand/session';
const difference = 'an instance was taken out of service in response to a difference between desired and actual';

describe('a termination', () => {
  it.each<[string, Beginner, TerminationFacts]>([
    [
      'of a deployment',
      'us',
      { cause: `${at} an instance was taken out of service in response to an instance refresh.` },
    ],
    [
      'of a refresh that an operator started',
      'person',
      {
        cause: `${at} an instance was taken out of service in response to an instance refresh.`,
        refreshByPerson: true,
      },
    ],
    ['by age', 'us', { cause: `${at} … in response to reaching its maximum instance lifetime.` }],
    [
      'by balancing',
      'us',
      { cause: `${at} an instance was taken out of service to aid in balancing the group's zones.` },
    ],
    ['by an alarm', 'us', { cause: `${at} a monitor alarm x in state ALARM triggered policy y. ${at} ${difference}` }],
    [
      'by a smaller capacity that an operator set',
      'person',
      { cause: `${at} a user request changing the desired capacity from 3 to 2.  ${at} ${difference}` },
    ],
    [
      'by a function',
      'us',
      { cause: `${at} instance i-1 was taken out of service in response to a user request.`, by: program },
    ],
    [
      'by an operator',
      'person',
      { cause: `${at} instance i-1 was taken out of service in response to a user request.`, by: root },
    ],
    ['by a failed machine', 'aws', { cause: `${at} … in response to an EC2 instance status checks failure.` }],
    ['by a launch given up', 'us', { cause: `${at} … in response to a launch failure.` }],
  ])('%s was begun by: %s', (_, expected, facts) => {
    expect(whoBegan(facts)).toBe(expected);
  });
});
