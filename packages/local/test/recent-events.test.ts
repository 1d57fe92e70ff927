import type { JournalEntry } from '@drover/cloud-engine';
import { describe, expect, it } from 'vitest';
import { RecentEvents } from '../src/local/view/recent-events.ts';

type Noted = Omit<JournalEntry, 'seq' | 'at'>;

function shown(...entries: Noted[]) {
  const events = new RecentEvents(['idle_runners_low-runners']);
  for (const [seq, entry] of entries.entries()) events.note({ seq, at: seq, ...entry });
  return events.newestFirst.map(({ source, text, kind }) => `${kind} ${source} ${text}`);
}

describe('the recent events of the console', () => {
  it.each<[string, Noted]>([
    ['a process that ended', { kind: 'note', source: 'machine', name: 'process-exit', subject: 'i-1' }],
    ['a function that succeeded', { kind: 'event', source: 'aws.lambda', name: 'succeeded', subject: 'f' }],
    ['an event that was delivered', { kind: 'event', source: 'aws.events', name: 'delivered', subject: 'i-1' }],
    ['an event that was emitted', { kind: 'event', source: 'aws.events', name: 'EC2 Instance Launch Successful' }],
    ['a policy with nothing to do', { kind: 'note', source: 'aws.autoscaling', name: 'scaling policy did nothing' }],
    ['a request', { kind: 'request', source: 'aws.ec2', name: 'DescribeInstances', detail: { by: 'root' } }],
    [
      'a request for what is not there',
      {
        kind: 'request',
        source: 'aws.secretsmanager',
        name: 'DescribeSecret',
        detail: { error: 'ResourceNotFoundException' },
      },
    ],
    ['a page that is not there', { kind: 'request', source: 'platform', name: 'GET /x', detail: { status: 404 } }],
  ])('leave out %s', (_, entry) => {
    expect(shown(entry)).toEqual([]);
  });

  it.each<[string, Noted]>([
    [
      'change autoscaling i-1: Pending -> InService',
      { kind: 'transition', source: 'aws.autoscaling', name: 'Pending -> InService', subject: 'i-1' },
    ],
    [
      'change machine i-1 runner-agent: inactive -> active',
      {
        kind: 'transition',
        source: 'machine',
        name: 'inactive -> active',
        subject: 'i-1',
        detail: { unit: 'runner-agent', result: 'started' },
      },
    ],
    [
      'change platform.job job-7: dispatched (i-1)',
      { kind: 'transition', source: 'platform.job', name: 'dispatched', subject: 'job-7', detail: { runner: 'i-1' } },
    ],
    [
      'trouble platform.job job-7: lost (runner-vanished)',
      {
        kind: 'transition',
        source: 'platform.job',
        name: 'lost',
        subject: 'job-7',
        detail: { runner: 'i-1', because: 'runner-vanished' },
      },
    ],
    [
      'change secretsmanager secret:token-of-i-1: marked for deletion -> gone',
      {
        kind: 'transition',
        source: 'aws.secretsmanager',
        name: 'marked for deletion -> gone',
        subject: 'arn:aws:secretsmanager:eu-west-1:000000000000:secret:token-of-i-1',
      },
    ],
    [
      'trouble cloudwatch metric_silent-runners: OK -> ALARM',
      { kind: 'transition', source: 'aws.cloudwatch', name: 'OK -> ALARM', subject: 'metric_silent-runners' },
    ],
    [
      'change cloudwatch metric_silent-runners: ALARM -> OK',
      { kind: 'transition', source: 'aws.cloudwatch', name: 'ALARM -> OK', subject: 'metric_silent-runners' },
    ],
    [
      'change cloudwatch idle_runners_low-runners: OK -> ALARM',
      { kind: 'transition', source: 'aws.cloudwatch', name: 'OK -> ALARM', subject: 'idle_runners_low-runners' },
    ],
    ['trouble platform GET: outage', { kind: 'fault', source: 'platform', name: 'outage', subject: 'GET' }],
    [
      'trouble lambda runners_registration: failed (Error)',
      {
        kind: 'event',
        source: 'aws.lambda',
        name: 'failed',
        subject: 'runners_registration',
        detail: { error: 'Error' },
      },
    ],
    [
      'trouble events EC2 Spot Instance Interruption Warning',
      { kind: 'event', source: 'aws.events', name: 'EC2 Spot Instance Interruption Warning' },
    ],
    [
      'trouble ec2 RunInstances (UnauthorizedOperation)',
      { kind: 'request', source: 'aws.ec2', name: 'RunInstances', detail: { error: 'UnauthorizedOperation' } },
    ],
    ['trouble platform GET /x (503)', { kind: 'request', source: 'platform', name: 'GET /x', detail: { status: 503 } }],
    ['trouble platform GET /x (403)', { kind: 'request', source: 'platform', name: 'GET /x', detail: { status: 403 } }],
  ])('show %s', (text, entry) => {
    expect(shown(entry)).toEqual([text]);
  });

  it('the console shows the newest hundred events, newest first', () => {
    const jobs = Array.from({ length: 101 }, (_, number): Noted => {
      return { kind: 'transition', source: 'platform.job', name: 'queued', subject: `job-${number}` };
    });
    const texts = shown(...jobs);
    expect(texts).toHaveLength(100);
    expect(texts[0]).toBe('change platform.job job-100: queued');
    expect(texts.at(-1)).toBe('change platform.job job-1: queued');
  });

  it('a burst of changes does not push trouble out of the events of the console', () => {
    const outage: Noted = { kind: 'fault', source: 'platform', name: 'outage', subject: 'GET' };
    const change: Noted = { kind: 'transition', source: 'platform.job', name: 'queued', subject: 'job-1' };
    const texts = shown(outage, ...Array.from({ length: 150 }, () => change));
    expect(texts).toHaveLength(101);
    expect(texts.at(-1)).toBe('trouble platform GET: outage');
  });
});
