import { describe, expect, it } from 'vitest';
import type { JournalLine } from '../host/kernel.ts';
import { hookTag, jobHookLine, type RunningJob, readFailures, readJobs, type Sight } from './job-events.ts';

const place = { groupName: 'runners', instanceId: 'i-1', metricNamespace: 'Drover/ActionsRunner' };
const environment = {
  GITHUB_REPOSITORY: 'org/repo',
  GITHUB_WORKFLOW: 'ci',
  GITHUB_RUN_ID: '7',
  GITHUB_RUN_ATTEMPT: '1',
  GITHUB_JOB: 'build',
  GITHUB_TOKEN: 'ghs_secret',
};
const byJob = { unit: 'actions-runner', tag: undefined, root: false, main: false };
const said = (at: number, text: string): JournalLine => ({ ...byJob, at, text, main: true });
const hook = (at: number, text: string): JournalLine => ({ ...byJob, at, text, tag: hookTag });
const start = [
  said(1_000, '2026-11-15 08:00:00Z: Running job: build'),
  hook(2_000, jobHookLine('job-started', environment)),
];
const busy: Sight = { now: 0, workers: 1, last: false };
const parsed = ({ events }: ReturnType<typeof readJobs>) =>
  events.map(({ text }) => JSON.parse(text) as Record<string, unknown>);
const events = (running: RunningJob | undefined, lines: readonly JournalLine[]) =>
  parsed(readJobs(running, lines, place, busy));

describe('events of jobs', () => {
  it('a job that ends becomes an event with repository, workflow, run and result, and metrics without a dimension for them', () => {
    const [started, completed] = events(undefined, [
      ...start,
      hook(60_000, jobHookLine('job-completed', environment)),
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
    const { running } = readJobs(undefined, start, place, busy);
    const [completed] = events(running, [said(5_000, 'Job build completed with result: Failed')]);
    expect(completed).toMatchObject({ result: 'Failed', JobSeconds: 4, repository: 'org/repo' });
  });

  it('a job without a result line ends at its hook when the next job starts, with an unknown result', () => {
    const lines = [...start, hook(9_000, jobHookLine('job-completed', environment)), said(30_000, 'Running job: test')];
    expect(events(undefined, lines)[1]).toMatchObject({ result: 'Unknown', JobSeconds: 8 });
  });

  it('a hook reports nothing but the variables that it knows, cut to a length', () => {
    const line = jobHookLine('job-started', { ...environment, GITHUB_WORKFLOW: 'x'.repeat(1000) });
    expect(line).not.toContain('ghs_secret');
    expect(line.length).toBeLessThan(500);
  });

  it('lines of other units and broken lines of hooks are no jobs', () => {
    const other = { ...hook(2, jobHookLine('job-started', environment)), unit: 'runner-agent' };
    expect(events(undefined, [said(1, 'Running job: build'), other, hook(3, '{"hook":')])).toEqual([]);
  });

  const victim = jobHookLine('job-started', { ...environment, GITHUB_REPOSITORY: 'victim/other' });
  const forged: readonly JournalLine[] = [
    { ...byJob, at: 3_000, text: 'Job build completed with result: Failed' },
    { ...byJob, at: 3_001, text: '2026-11-15 08:00:03Z: Running job: other', tag: 'actions-runner' },
    hook(3_002, victim),
    { ...byJob, at: 3_003, text: victim },
    { ...hook(3_004, victim), root: true },
    { ...byJob, at: 3_005, text: 'Job other completed with result: Failed', tag: hookTag },
  ];

  it('a job that writes lines of its listener and of hooks makes no event of another repository, and its own stays what it is', () => {
    const end = said(61_000, 'Job build completed with result: Succeeded');
    expect(events(undefined, [...start, ...forged, end])).toEqual(events(undefined, [...start, end]));
  });

  it('a hook that speaks while no job runs makes no event', () => {
    expect(events(undefined, [hook(1, victim), said(2, 'Listening for Jobs')])).toEqual([]);
  });

  it.each([
    'Running job: x',
    'Job x completed with result: Failed',
    'Running job: Job x completed with result: Failed',
  ])('a job whose name is "%s" has one event with its own result', (name) => {
    const lines = [said(1, `Running job: ${name}`), start[1]!, said(9, `Job ${name} completed with result: Canceled`)];
    expect(events(undefined, lines).map(({ event, result }) => [event, result])).toEqual([
      ['job-started', undefined],
      ['job-completed', 'Canceled'],
    ]);
  });

  it('a job whose end is not reported has ended when its Worker is gone for ten minutes, or when the instance goes', () => {
    const { running } = readJobs(undefined, start, place, { ...busy, now: 2_000 });
    const idle = readJobs(running, [], place, { now: 30_000, workers: 0, last: false });
    expect(idle.events).toEqual([]);
    const looks: readonly [Sight, number][] = [
      [{ now: 629_999, workers: 0, last: false }, 0],
      [{ now: 630_000, workers: 0, last: false }, 1],
      [{ now: 40_000, workers: 0, last: true }, 1],
      [{ now: 630_000, workers: 1, last: true }, 0],
    ];
    for (const [sight, count] of looks) {
      const ended = parsed(readJobs(idle.running, [], place, sight));
      expect(ended).toHaveLength(count);
      for (const event of ended)
        expect(event).toMatchObject({ result: 'Unknown', JobSeconds: 29, repository: 'org/repo' });
    }
  });
});

describe('a job that failed before its started hook ran', () => {
  const running = said(1, 'Running job: build');
  const started = hook(2, jobHookLine('job-started', environment));
  const failed = said(9, 'Job build completed with result: Failed');
  it.each<[string, readonly JournalLine[], boolean | undefined]>([
    ['failed without its hook', [running, failed], true],
    ['failed after its hook', [running, started, failed], false],
    ['succeeded without its hook', [running, said(9, 'Job build completed with result: Succeeded')], undefined],
    ['was cancelled without its hook', [running, said(9, 'Job build completed with result: Canceled')], undefined],
    ['failed, as a process of a job says', [running, { ...byJob, at: 3, text: failed.text }], undefined],
    ['failed without its hook, after one with a hook', [running, started, failed, running, failed], true],
    ['failed without its hook, before one with a hook', [running, failed, running, started], false],
  ])('a job that %s', (_, lines, expected) => {
    expect(readFailures('none', lines).failedEarly).toBe(expected);
    const first = readFailures('none', lines.slice(0, 1));
    expect(readFailures(first.progress, lines.slice(1)).failedEarly).toBe(expected);
  });
});
