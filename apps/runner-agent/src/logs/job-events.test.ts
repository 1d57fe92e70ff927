import { describe, expect, it } from 'vitest';
import type { JournalLine } from '../host/kernel.ts';
import { jobHookLine, type RunningJob, readJobs } from './job-events.ts';

const place = { groupName: 'runners', instanceId: 'i-1', metricNamespace: 'Drover/ActionsRunner' };
const environment = {
  GITHUB_REPOSITORY: 'org/repo',
  GITHUB_WORKFLOW: 'ci',
  GITHUB_RUN_ID: '7',
  GITHUB_RUN_ATTEMPT: '1',
  GITHUB_JOB: 'build',
  GITHUB_TOKEN: 'ghs_secret',
};
const said = (at: number, text: string): JournalLine => ({ at, unit: 'actions-runner', tag: undefined, text });
const start = [
  said(1_000, '2026-11-15 08:00:00Z: Running job: build'),
  said(2_000, jobHookLine('job-started', environment)),
];
const events = (running: RunningJob | undefined, lines: readonly JournalLine[]) =>
  readJobs(running, lines, place).events.map(({ text }) => JSON.parse(text) as Record<string, unknown>);

describe('events of jobs', () => {
  it('a job that ends becomes an event with repository, workflow, run and result, and metrics without a dimension for them', () => {
    const [started, completed] = events(undefined, [
      ...start,
      said(60_000, jobHookLine('job-completed', environment)),
      said(61_000, '2026-11-15 08:01:00Z: Job build completed with result: Succeeded'),
    ]);

    const about = { runner: 'i-1', repository: 'org/repo', workflow: 'ci', runId: '7', runAttempt: '1', job: 'build' };
    expect(started).toEqual({ event: 'job-started', ...about });
    expect(completed).toMatchObject({ event: 'job-completed', ...about, result: 'Succeeded', JobSeconds: 60 });
    expect(completed).toMatchObject({ JobsCompleted: 1, AutoScalingGroupName: 'runners' });
    expect(completed?._aws).toMatchObject({
      Timestamp: 61_000,
      CloudWatchMetrics: [{ Namespace: 'Drover/ActionsRunner', Dimensions: [['AutoScalingGroupName']] }],
    });
  });

  it('a job whose end comes with a later look is still one event', () => {
    const { running } = readJobs(undefined, start, place);
    const [completed] = events(running, [said(5_000, 'Job build completed with result: Failed')]);
    expect(completed).toMatchObject({ result: 'Failed', JobSeconds: 4, repository: 'org/repo' });
  });

  it('a job without a result line ends at its hook when the next job starts, with an unknown result', () => {
    const lines = [...start, said(9_000, jobHookLine('job-completed', environment)), said(30_000, 'Running job: test')];
    expect(events(undefined, lines)[1]).toMatchObject({ result: 'Unknown', JobSeconds: 8 });
  });

  it('a hook tells nothing but the variables that it knows, cut to a length', () => {
    const line = jobHookLine('job-started', { ...environment, GITHUB_WORKFLOW: 'x'.repeat(1000) });
    expect(line).not.toContain('ghs_secret');
    expect(line.length).toBeLessThan(500);
  });

  it('lines of other units and broken lines of hooks are no jobs', () => {
    const other = { ...said(1, jobHookLine('job-started', environment)), unit: 'runner-agent' };
    expect(events(undefined, [other, said(2, '{"hook":')])).toEqual([]);
  });
});
