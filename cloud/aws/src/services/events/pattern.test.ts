import { describe, expect, it } from 'vitest';
import { compilePattern } from './pattern.ts';

const event = {
  source: 'aws.autoscaling',
  'detail-type': 'EC2 Instance-terminate Lifecycle Action',
  resources: ['arn:aws:autoscaling:eu-west-1:1:group/a', 'arn:aws:ec2:eu-west-1:1:instance/i-1'],
  detail: {
    AutoScalingGroupName: 'runners',
    Count: 5,
    Ratio: 0.5,
    Enabled: true,
    Nothing: null,
    Empty: '',
    FileName: 'photos/Holiday.PNG',
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
    ['one object of an array of the event', { detail: { Disks: { size: [{ numeric: ['>', 5] }] } } }],
    [
      'a number, a boolean, null and the empty string',
      { detail: { Count: [5], Enabled: [true], Nothing: [null], Empty: [''] } },
    ],
    ['a prefix', { resources: [{ prefix: 'arn:aws:ec2:' }] }],
    ['a prefix without case', { detail: { FileName: [{ prefix: { 'equals-ignore-case': 'PHOTOS/' } }] } }],
    ['a suffix', { detail: { FileName: [{ suffix: '.PNG' }] } }],
    ['a suffix without case', { detail: { FileName: [{ suffix: { 'equals-ignore-case': '.png' } }] } }],
    ['anything but a value', { detail: { Origin: [{ 'anything-but': 'WarmPool' }] } }],
    ['anything but several values', { detail: { Count: [{ 'anything-but': [1, 2] }] } }],
    ['anything but a prefix', { detail: { Origin: [{ 'anything-but': { prefix: 'Warm' } }] } }],
    ['anything but a suffix', { detail: { FileName: [{ 'anything-but': { suffix: '.jpg' } }] } }],
    ['anything but a wildcard', { detail: { FileName: [{ 'anything-but': { wildcard: '*/lib/*' } }] } }],
    ['a range of numbers', { detail: { Count: [{ numeric: ['>', 0, '<=', 5] }], Ratio: [{ numeric: ['=', 0.5] }] } }],
    ['a field that exists', { detail: { Count: [{ exists: true }] } }],
    ['a field that does not exist', { detail: { Missing: [{ exists: false }] } }],
    ['an object, which is no leaf, as not existing', { detail: { Nested: [{ exists: false }] } }],
    ['without case', { detail: { Origin: [{ 'equals-ignore-case': 'autoscalinggroup' }] } }],
    ['a wildcard', { detail: { FileName: [{ wildcard: 'photos/*.PNG' }] } }],
    ['one of two alternatives', { $or: [{ source: ['aws.ec2'] }, { detail: { Count: [5] } }] }],
    [
      'alternatives beside other fields',
      { source: ['aws.autoscaling'], detail: { $or: [{ Count: [1] }, { Enabled: [true] }] } },
    ],
  ])('match %s', (_name, pattern) => {
    expect(matches(pattern)).toBe(true);
  });

  it.each([
    ['another value', { source: ['aws.ec2'] }],
    ['a value with another case', { source: ['AWS.autoscaling'] }],
    ['one field of two', { source: ['aws.autoscaling'], detail: { Count: [6] } }],
    ['a number written as text', { detail: { Count: ['5'] } }],
    ['a missing field with anything-but', { detail: { Missing: [{ 'anything-but': 'x' }] } }],
    ['a missing field with null', { detail: { Missing: [null] } }],
    ['the excluded value', { detail: { Origin: [{ 'anything-but': ['AutoScalingGroup'] }] } }],
    ['a number outside the range', { detail: { Count: [{ numeric: ['<', 5] }] } }],
    ['text as a number', { detail: { Origin: [{ numeric: ['>', 0] }] } }],
    ['none of the alternatives', { $or: [{ source: ['aws.ec2'] }, { detail: { Count: [6] } }] }],
    ['a wildcard in the middle only', { detail: { FileName: [{ wildcard: '*.jpg' }] } }],
  ])('event patterns do not match %s', (_name, pattern) => {
    expect(matches(pattern)).toBe(false);
  });

  it.each([
    ['{}'],
    ['[1]'],
    ['{"source":"aws.ec2"}'],
    ['{"source":[]}'],
    ['{"source":[{"like":"a"}]}'],
    ['{"source":[{"numeric":[">"]}]}'],
    ['{"source":[{"wildcard":"a**b"}]}'],
    ['{"$or":[{"source":["a"]}]}'],
    ['not json'],
  ])('event patterns are refused: %s', (pattern) => {
    expect(() => compilePattern(pattern)).toThrow(/Event pattern is not valid/);
  });
});
