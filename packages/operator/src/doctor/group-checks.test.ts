import { expect, it } from 'vitest';
import { fixOf, isWithoutCapacity } from './group-checks.ts';

const spot = (why: string) => `Could not launch Spot Instances. ${why} Launching EC2 instance failed.`;

it.each([
  ['We currently do not have sufficient m7a.large capacity in the Availability Zone you requested', true, /several/],
  [
    spot('InsufficientInstanceCapacity - There is no Spot capacity available that matches your request.'),
    true,
    /several/,
  ],
  [spot('UnfulfillableCapacity - Unable to fulfill capacity due to your request configuration.'), true, /several/],
  [spot('MaxSpotInstanceCountExceeded - Max spot instance count exceeded.'), false, /"Spot Instance Requests"/],
  ['You have requested more vCPU capacity than your current vCPU limit allows', false, /"Running On-Demand instances"/],
])('doctor says what to do about a launch that failed with "%s"', (reason, withoutCapacity, fix) => {
  expect(isWithoutCapacity({ reason })).toBe(withoutCapacity);
  expect(fixOf(reason)).toMatch(fix);
});
