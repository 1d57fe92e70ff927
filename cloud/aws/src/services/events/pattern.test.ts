import { describe, expect, it } from 'vitest';
import { compilePattern } from './pattern.ts';

const event = {
  source: 'aws.autoscaling',
  'detail-type': 'EC2 Instance-terminate Lifecycle Action',
  resources: ['arn:aws:autoscaling:eu-west-1:1:group/a', 'arn:aws:ec2:eu-west-1:1:instance/i-1'],
  detail: {
    AutoScalingGroupName: 'runners',
    Count: 5,
    Enabled: true,
    Nothing: null,
    Empty: '',
    Origin: 'AutoScalingGroup',
    Nested: { Deep: 'x' },
    Disks: [
      { id: 'a', size: 1 },
      { id: 'b', size: 9 },
    ],
    Tags: [],
  },
};

const matches = (pattern: object) => compilePattern(JSON.stringify(pattern))(event);

describe('event patterns', () => {
  it.each([
    ['an exact value', { source: ['aws.autoscaling'] }],
    ['one of several values', { source: ['aws.ec2', 'aws.autoscaling'] }],
    ['a nested field', { detail: { Nested: { Deep: ['x'] } } }],
    ['one element of an array of the event', { resources: ['arn:aws:ec2:eu-west-1:1:instance/i-1'] }],
    ['one object of an array of the event', { detail: { Disks: { size: [9] } } }],
    [
      'a number, a boolean, null and the empty string',
      { detail: { Count: [5], Enabled: [true], Nothing: [null], Empty: [''] } },
    ],
  ])('event patterns match %s', (_name, pattern) => {
    expect(matches(pattern)).toBe(true);
  });

  it.each([
    ['another value', { source: ['aws.ec2'] }],
    ['a value with another case', { source: ['AWS.autoscaling'] }],
    ['one field of two', { source: ['aws.autoscaling'], detail: { Count: [6] } }],
    ['a number written as text', { detail: { Count: ['5'] } }],
    ['a missing field with null', { detail: { Missing: [null] } }],
  ])('event patterns do not match %s', (_name, pattern) => {
    expect(matches(pattern)).toBe(false);
  });

  it.each([
    ['{}'],
    ['[1]'],
    ['{"source":"aws.ec2"}'],
    ['{"source":[]}'],
    ['{"source":[{"prefix":"a"}]}'],
    ['{"source":[["a"]]}'],
    ['{"$or":[{"source":["a"]}]}'],
    ['not json'],
  ])('event patterns are refused: %s', (pattern) => {
    expect(() => compilePattern(pattern)).toThrow(/Event pattern is not valid/);
  });
});
