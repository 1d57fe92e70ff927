import { VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import type { DroverIo } from '../io.ts';
import { listed } from '../render/short.ts';
import { duration } from '../render/table.ts';
import { unexplainedAlarms } from './alarm-checks.ts';
import { type Finding, report, summaryOf } from './findings.ts';

const finding = (check: string, verdict: Finding['verdict'], evidence = 'evidence'): Finding => ({
  check,
  topic: `topic of ${check}`,
  condition: 'Something is wrong',
  verdict,
  evidence,
  ...(verdict === 'problem' ? { fix: 'a fix' } : {}),
});

function reported(...findings: Finding[]): { text: string; exitCode: number } {
  let text = '';
  const io = { stdout: (more: string) => (text += more), clock: new VirtualClock(0) } as unknown as DroverIo;
  const diagnosis = { findings, survives: 'survives the loss of any one machine' };
  const exitCode = report(io, 'text', { group: 'runners' }, new Map([['module_version', '1.0.0']]), diagnosis);
  return { text, exitCode };
}

const printed = (...findings: Finding[]) => reported(...findings).text;

describe('the findings of a doctor', () => {
  it('what needs attention comes first, then notices, then what could not be examined, then what is well', () => {
    const text = printed(
      finding('a', 'ok'),
      finding('b', 'notice'),
      finding('c', 'unknown'),
      finding('d', 'problem'),
      finding('e', 'ok'),
    );
    expect(text.match(/^(PROBLEM|notice|unknown|ok)/gm)).toEqual(['PROBLEM', 'notice', 'unknown', 'ok', 'ok']);
    expect(text).toMatch(
      /^runners, module version 1\.0\.0: 1 thing needs attention, 1 notice, 1 check could not be made, 2 checks are well\nas configured, it survives the loss of any one machine\n\n/,
    );
    expect(text).toContain('PROBLEM  d: Something is wrong\n         found: evidence\n         fix:   a fix\n');
    expect(text).toContain('ok       topic of a: evidence\n');
  });

  it('the summary of a healthy system says that nothing needs attention', () => {
    expect(summaryOf([finding('a', 'ok')])).toBe('nothing needs attention, 1 check is well');
    expect(summaryOf([finding('a', 'problem'), finding('b', 'problem')])).toBe('2 things need attention');
  });

  it('what could not be read is not called well: the exit code is 3, unless there is a problem, and the summary says so', () => {
    const [well, note, dark, bad] = (['ok', 'notice', 'unknown', 'problem'] as const).map((one) => finding(one, one));
    expect(reported(well!, note!).exitCode).toBe(0);
    expect(reported(well!, dark!).exitCode).toBe(3);
    expect(reported(dark!, bad!).exitCode).toBe(1);
    expect(summaryOf([well!, dark!])).toBe('no problem was found, 1 check could not be made, 1 check is well');
  });

  it('an alarm that is on is named with its remedy unless another finding explains it', () => {
    const meanings = new Map([
      ['errors-a', { checks: ['function-failing'], fix: 'see the log' }],
      ['group_at_maximum-a', { checks: [], fix: 'raise it', harmless: true }],
    ]);
    const alarms = (...on: string[]) => [...meanings.keys()].map((name) => ({ name, on: on.includes(name) }));
    const failing = [finding('function-failing', 'problem')];
    expect(unexplainedAlarms(alarms(), meanings, [])).toMatchObject({ verdict: 'ok' });
    expect(unexplainedAlarms(alarms('errors-a'), meanings, failing)).toMatchObject({ verdict: 'ok' });
    expect(unexplainedAlarms(alarms('errors-a'), meanings, [finding('function-failing', 'ok')])).toMatchObject({
      verdict: 'problem',
      evidence: 'on: errors-a',
      fix: expect.stringContaining('errors-a: see the log'),
    });
    expect(unexplainedAlarms(alarms('group_at_maximum-a'), meanings, [])).toMatchObject({ verdict: 'notice' });
  });

  it('an age is never negative, however far the clock of a host is ahead', () => {
    expect([duration(-6_000), duration(-114_000), duration(90_000)]).toEqual(['0 s', '0 s', '90 s']);
  });

  it('a reason that keeps several checks from being made is reported once, with their names', () => {
    const text = printed(finding('a', 'unknown', 'no response'), finding('b', 'unknown', 'no response'));
    expect(text).toContain('unknown  a, b\n         found: no response\n');
    expect(text.match(/no response/g)).toHaveLength(1);
  });

  it('no line is longer than a screen takes, however much there is to report', () => {
    const many = Array.from({ length: 200 }, (_, index) => `i-${index} has been Terminating:Wait for ${index} min`);
    const log = Array.from({ length: 100 }, (_, index) => `line ${index} of a log`).join('\n');
    const text = printed(finding('a', 'problem', listed(many)), finding('b', 'problem', log));
    expect(text).toContain('i-4 has been Terminating:Wait for 4 min; and 195 more');
    expect(text).toContain('line 99 of a log');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(450);
  });
});
