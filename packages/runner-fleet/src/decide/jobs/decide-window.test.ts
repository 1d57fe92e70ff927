import { expect, it } from 'vitest';
import { decideWindow, type QuietFacts, shortAfterMs } from './decide-window.ts';

const now = 1_800_000_000_000;
const none = { available: 0, assigned: 0, running: 0, registered: 0, busy: 0, idle: 0 };
const host = { id: 'i-1', lifecycleState: 'InService', healthy: true, protectedFromScaleIn: true, inWarmPool: false };
const group: QuietFacts['group'] = { minSize: 0, maxSize: 10, desiredCapacity: 0, instances: [] };
const jobs = { statistics: none, hosts: {}, quietSince: now - shortAfterMs };
const facts: QuietFacts = { group, jobs, idleTarget: 0 };

it('windows of a group that has had neither host nor job for half an hour are short', () => {
  expect(decideWindow(facts, now)).toBe('short');
});

it.each<[string, Partial<QuietFacts>]>([
  ['less than half an hour has been quiet', { jobs: { ...jobs, quietSince: now - shortAfterMs + 1 } }],
  ['a job is assigned', { jobs: { ...jobs, statistics: { ...none, assigned: 1 } } }],
  ['a job waits that is not assigned', { jobs: { ...jobs, statistics: { ...none, available: 1 } } }],
  ['a runner has a job', { jobs: { ...jobs, statistics: { ...none, busy: 1 } } }],
  ['an instance is there', { group: { ...group, instances: [host] } }],
  ['an instance is wanted', { group: { ...group, desiredCapacity: 1 } }],
  ['the minimum is above zero', { group: { ...group, minSize: 1 } }],
  ['the group is being taken down', { group: { ...group, maxSize: 0 } }],
  ['idle runners are wanted', { idleTarget: 2 }],
])('a window of a quiet group is long when %s', (_, change) => {
  expect(decideWindow({ ...facts, ...change }, now)).toBe('long');
});

it('a window is long while nothing is known of the jobs, or of how long it has been quiet', () => {
  const { quietSince } = jobs;
  expect(decideWindow({ ...facts, jobs: { quietSince } }, now)).toBe('long');
  expect(decideWindow({ ...facts, jobs: { statistics: none } }, now)).toBe('long');
});

it('a window is long while a host is noted whose runner is not removed yet, or a fallback wants instances', () => {
  const hosts = { 'i-1': { is: 'gone', since: now } } as const;
  expect(decideWindow({ ...facts, jobs: { ...jobs, hosts } }, now)).toBe('long');
  const fallback = { maxSize: 10, desiredCapacity: 1, instances: [] } as unknown as NonNullable<
    QuietFacts['group']['fallback']
  >;
  expect(decideWindow({ ...facts, group: { ...group, fallback } }, now)).toBe('long');
});

it('a window is long while an interrupted job may be run again, and short when that is settled', () => {
  const told = (settled?: 'run-again') =>
    decideWindow({ ...facts, jobs: { ...jobs, interrupted: { 'i-1': { at: 0, ...(settled && { settled }) } } } }, now);
  expect([told(), told('run-again')]).toEqual(['long', 'short']);
});

it('a window is short beside instances that are parked in the warm pool', () => {
  const instances = [{ ...host, lifecycleState: 'Warmed:Hibernated', inWarmPool: true }];
  expect(decideWindow({ ...facts, group: { ...group, instances } }, now)).toBe('short');
});
