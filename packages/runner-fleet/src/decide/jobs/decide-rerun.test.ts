import { dayMs } from '@drover/core';
import { describe, expect, it } from 'vitest';
import type { RunJobFacts } from '../../jobs-ports.ts';
import type { HostReport } from '../../model/fleet.ts';
import type { Interruption, JobNote } from '../../model/jobs.ts';
import { awaitsRerun, decideRerun, dueLooks, mostReruns, noteInterruptions } from './decide-rerun.ts';

const minutes = (count: number) => count * 60_000;
const now = minutes(100_000);
const ago = (count: number) => now - minutes(count);
const known = (more: Partial<Interruption> = {}): Interruption => ({
  at: ago(15),
  repository: 'acme/app',
  name: 'build',
  runId: 7,
  ...more,
});
const report = (more: Partial<HostReport> = {}): HostReport => ({
  at: now,
  workers: 1,
  phase: 'draining',
  reclaimed: true,
  ...more,
});
const job = (runnerName: string, runId?: number): JobNote => ({
  repository: 'acme/app',
  name: 'build',
  runnerName,
  ...(runId === undefined ? {} : { runId }),
});

describe('noting interrupted jobs', () => {
  it.each([
    ['a notice and a job', {}, true],
    ['a notice and no job', { workers: 0 }, false],
    ['a job and no notice', { reclaimed: false }, false],
  ])('a host with %s: noted or not', (_, more, expected) => {
    const noted = noteInterruptions(undefined, new Map([['i-1', report(more)]]), {}, now);
    expect(noted).toEqual(expected ? { 'i-1': { at: now } } : undefined);
  });

  it('the job is known once a message has said it, and stays known when the message is forgotten', () => {
    const reports = new Map([['i-1', report()]]);
    const first = noteInterruptions(undefined, reports, { a: job('i-2', 6) }, ago(2));
    const second = noteInterruptions(first, reports, { a: job('i-1', 7) }, ago(1));
    const third = noteInterruptions(second, new Map(), {}, now);

    expect(first).toEqual({ 'i-1': { at: ago(2) } });
    expect(third).toEqual({ 'i-1': known({ at: ago(2) }) });
  });

  it('a server that does not say the run leaves it without one', () => {
    const noted = noteInterruptions(undefined, new Map([['i-1', report()]]), { a: job('i-1') }, now);
    expect(noted).toEqual({ 'i-1': { at: now } });
  });

  it('after a day it is forgotten, and nothing is tried any more', () => {
    const old = { 'i-1': known({ at: now - dayMs + 1 }), 'i-2': known({ at: now - dayMs }) };
    expect(Object.keys(noteInterruptions(old, new Map(), {}, now)!)).toEqual(['i-1']);
  });

  it('the newest hundred are remembered', () => {
    const many = Object.fromEntries(
      Array.from({ length: 102 }, (_, index) => [`i-${index}`, known({ at: ago(200 - index) })]),
    );
    const kept = Object.keys(noteInterruptions(many, new Map(), {}, now)!);
    expect([kept.length, kept[0]]).toEqual([100, 'i-2']);
  });
});

describe('when runs are looked at', () => {
  it.each([
    ['a minute after the notice', { at: ago(1) }, true],
    ['not sooner', { at: now - 59_000 }, false],
    ['each minute at first', { at: ago(10), askedAt: ago(1) }, true],
    ['every three minutes after an hour', { at: ago(60), askedAt: ago(2) }, false],
    ['and then again', { at: ago(60), askedAt: ago(3) }, true],
    ['not when it is settled', { settled: 'ended' }, false],
    ['not when it is not known', { runId: undefined }, false],
  ] as const)('%s', (_, more, expected) => {
    const { runId, ...one } = { ...known(), ...more };
    const due = dueLooks({ 'i-1': runId === undefined ? one : { ...one, runId } }, now);
    expect(due).toEqual(expected ? ['i-1'] : []);
  });
});

describe('whether an interrupted job is run again', () => {
  const failed: RunJobFacts = { id: 11, runnerName: 'i-1', failed: true, completedAt: ago(3) };
  const other = (more: Partial<Interruption>) => known({ name: 'test', ...more });
  const first = { completed: true, attempt: 1 };

  it.each([
    ['a failed job of a completed first attempt is', {}, first, failed, { jobId: 11 }],
    ['one whose run goes on waits', {}, { completed: false, attempt: 1 }, failed, {}],
    ['one that succeeded is not', {}, first, { ...failed, failed: false }, { settled: 'ended' }],
    [
      'one that failed while its host lived on is not',
      {},
      first,
      { ...failed, completedAt: ago(14.5) },
      { settled: 'ended' },
    ],
    ['one that its run does not have is not', {}, first, { ...failed, runnerName: 'i-9' }, { settled: 'ended' }],
    [
      'one whose run someone runs again is not',
      {},
      { completed: true, attempt: 2 },
      failed,
      { settled: 'run-by-others' },
    ],
    [
      'the next attempt shows that it is',
      { 'i-1': known({ rerunAt: ago(1) }) },
      { completed: false, attempt: 2 },
      failed,
      { settled: 'run-again', attempt: 2 },
    ],
    [
      'one that was asked for without an effect is asked for again',
      { 'i-1': known({ rerunAt: ago(1) }) },
      first,
      failed,
      { jobId: 11 },
    ],
    [
      'the second one of a run is, after the attempt of the first',
      { 'i-2': other({ rerunAt: ago(9), attempt: 2, settled: 'run-again' }) },
      { completed: true, attempt: 2 },
      failed,
      { jobId: 11 },
    ],
    [
      'the second one waits while it is not certain that the first is run again',
      { 'i-2': other({ rerunAt: ago(1) }) },
      first,
      failed,
      {},
    ],
    [
      'the second try of a job is not run again',
      { 'i-2': known({ rerunAt: ago(40), attempt: 2, settled: 'run-again' }) },
      { completed: true, attempt: 2 },
      failed,
      { settled: 'once-only' },
    ],
    [
      'a job of another run does not count',
      { 'i-2': known({ runId: 8, rerunAt: ago(1) }) },
      first,
      failed,
      { jobId: 11 },
    ],
    [
      'the 21st in an hour waits',
      Object.fromEntries(
        Array.from({ length: mostReruns }, (_, index) => [
          `i-a${index}`,
          known({ runId: 100 + index, rerunAt: ago(59) }),
        ]),
      ),
      first,
      failed,
      {},
    ],
  ] as const)('%s', (_, more, run, one, expected) => {
    expect(decideRerun({ 'i-1': known(), ...more }, 'i-1', { run, jobs: [one] }, now)).toEqual(expected);
  });

  it.each([
    ['a notice of a moment ago', { at: now }, true],
    ['one whose job is given up by now', { at: ago(15) }, false],
    ['one whose job ended well', { at: now, settled: 'ended' }, false],
    ['a re-run of 14 minutes ago', { at: ago(60), rerunAt: ago(14), settled: 'run-again' }, true],
    ['one of 15 minutes ago', { at: ago(60), rerunAt: ago(15) }, false],
  ] as const)('%s: its second try may need an instance or not', (_, one, expected) => {
    expect(awaitsRerun({ 'i-1': known(one) }, now)).toBe(expected);
    expect(awaitsRerun(undefined, now)).toBe(false);
  });
});
