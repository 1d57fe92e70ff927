import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { costOf, hostedCostOf, readPrices } from '@drover/operator/fleet/prices';
import { describe, expect, it } from 'vitest';
import { cheapestWithin, paretoFront } from '../../../packages/local/src/what-if/answer.ts';
import { chosenConfigurations } from '../../../packages/local/src/what-if/configurations.ts';
import { type Figures, percentile } from '../../../packages/local/src/what-if/replay/figures.ts';
import { generateTrace } from '../../../packages/local/src/what-if/trace/generate-trace.ts';
import { isHistory, parseHistory } from '../../../packages/local/src/what-if/trace/history.ts';
import { firstHours, fromLabel, parseTrace, writeTrace } from '../../../packages/local/src/what-if/trace/trace.ts';
import { droverAlone } from './memory-io.test-support.ts';

const folder = mkdtempSync(join(tmpdir(), 'what-if-test-'));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const heading = 'queued_at,duration_seconds,labels\n';
const oneJob = `${heading}2026-01-05T09:30:00Z,60,linux\n`;

describe('a trace of jobs', () => {
  it.each([
    ['a moment of UTC', '2026-01-05T09:30:00Z,60,linux x64', { durationMs: 60_000, labels: ['linux', 'x64'] }],
    ['a moment of another zone', '2026-01-05T10:30+01:00,60,', { durationMs: 60_000, labels: [] }],
    ['no labels at all', '2026-01-05T09:30:00.000Z,1.5', { durationMs: 1_500, labels: [] }],
    [
      'quotes and semicolons',
      '"2026-01-05T09:30:00Z","60","linux;gpu"',
      { durationMs: 60_000, labels: ['linux', 'gpu'] },
    ],
  ])('a trace may have %s', (_, line, job) => {
    const trace = parseTrace(`${heading}${line}\r\n\n`, 'jobs.csv');

    expect(trace.jobs).toEqual([{ queuedAtMs: Date.UTC(2026, 0, 5, 9, 30), ...job }]);
    expect(trace).toMatchObject({ startMs: Date.UTC(2026, 0, 5, 9), endMs: Date.UTC(2026, 0, 5, 10) });
  });

  it.each([
    [
      'no heading',
      '2026-01-05T09:30:00Z,60,linux',
      "jobs.csv, line 1: '2026-01-05T09:30:00Z,60,linux' is not the heading",
    ],
    ['nothing', '', 'jobs.csv, line 1'],
    ['only its heading', heading, 'jobs.csv holds no job'],
    ['a moment without zone', `${oneJob}2026-01-05T09:30:00,60,`, "jobs.csv, line 3: queued_at '2026-01-05T09:30:00'"],
    ['a day that is none', `${heading}2026-13-05T09:30:00Z,60,`, 'e.g. 2026-01-05T09:30:00Z'],
    ['a word as duration', `${heading}2026-01-05T09:30:00Z,long,`, "line 2: duration_seconds 'long' is not allowed"],
    ['no duration', `${heading}2026-01-05T09:30:00Z,0,`, 'give seconds above 0'],
    ['a job of six days', `${heading}2026-01-05T09:30:00Z,518400,`, 'at most 432000'],
    ['too many fields', `${heading}2026-01-05T09:30:00Z,60,linux,x64`, 'line 2: 4 fields; give queued_at'],
    ['two months', `${oneJob}2026-03-05T09:30:00Z,60,`, 'spans more than 31 days'],
  ])('a trace is refused with %s', (_, text, message) => {
    expect(() => parseTrace(text, 'jobs.csv')).toThrow(message);
  });

  it('a trace can be cut after some hours', () => {
    const trace = parseTrace(`${oneJob}2026-01-05T11:00:00Z,60,\n2026-01-05T10:59:59Z,60,\n`, 'jobs.csv');

    const cut = firstHours(trace, 2);

    expect(cut.jobs.map(({ queuedAtMs }) => queuedAtMs)).toEqual([
      Date.UTC(2026, 0, 5, 9, 30),
      Date.UTC(2026, 0, 5, 10, 59, 59),
    ]);
    expect(cut.endMs).toBe(Date.UTC(2026, 0, 5, 11));
  });
});

describe('jobs as the REST API lists them', () => {
  const job = (id: number, more: object = {}) => ({
    id,
    status: 'completed',
    conclusion: 'success',
    created_at: '2026-01-05T09:30:00Z',
    started_at: '2026-01-05T09:31:00Z',
    completed_at: '2026-01-05T09:33:00Z',
    labels: ['ubuntu-latest'],
    runner_id: 7,
    ...more,
  });
  const page = (...jobs: object[]) => JSON.stringify({ total_count: jobs.length, jobs });
  const traced = { queuedAtMs: Date.UTC(2026, 0, 5, 9, 30), durationMs: 120_000, waitedMs: 60_000 };

  it.each([
    ['one page', page(job(1), job(2))],
    ['pages one after the other, as gh api --paginate writes them', `${page(job(1))}${page(job(2), job(1))}`],
    ['an array of pages', `[${page(job(1))},${page(job(2))}]`],
    ['a job a line', `${JSON.stringify(job(1))}\n${JSON.stringify(job(2, { name: 'a "}" in it' }))}\n`],
  ])('%s is read as a trace, with the waits of then', (_, text) => {
    expect(isHistory(text)).toBe(true);
    const { trace, notes } = parseHistory(text, 'jobs.json');

    expect(trace.jobs).toEqual(Array(2).fill({ ...traced, labels: ['ubuntu-latest'] }));
    expect(notes).toEqual([]);
  });

  it('jobs that have not ended or that no runner had are left out, and a note says so', () => {
    const others = [
      job(2, { status: 'in_progress', conclusion: null, completed_at: null }),
      job(3, { conclusion: 'skipped' }),
      job(4, { conclusion: 'cancelled', runner_id: null }),
    ];
    const { trace, notes } = parseHistory(page(job(1), ...others), 'jobs.json');

    expect(trace.jobs).toHaveLength(1);
    expect(notes).toEqual([
      'jobs.json: 1 entry is left out: it had not ended',
      'jobs.json: 2 jobs are left out: no runner had them',
    ]);
  });

  it('workflow runs are taken as one job each, and a note says so', () => {
    const run = {
      id: 1,
      status: 'completed',
      created_at: '2026-01-05T09:00:00Z',
      run_started_at: '2026-01-05T09:30:00Z',
      updated_at: '2026-01-05T09:32:00Z',
    };
    const { trace, notes } = parseHistory(JSON.stringify({ workflow_runs: [run] }), 'runs.json');

    expect(trace.jobs).toEqual([{ queuedAtMs: traced.queuedAtMs, durationMs: 120_000, labels: [] }]);
    expect(notes[0]).toContain('1 workflow runs are replayed as one job each');
  });

  it.each([
    ['no completed job', page(), 'jobs.json holds no completed job'],
    ['broken JSON', '{"jobs":[', 'jobs.json is neither JSON nor a trace'],
    ['a time that is none', page(job(1, { started_at: 'now' })), 'jobs.json, entry 1: started_at "now" is not a time'],
  ])('a history is refused with %s', (_, text, message) => {
    expect(() => parseHistory(text, 'jobs.json')).toThrow(message);
  });

  it('the jobs of one label can be chosen, for the runners of the fleet', () => {
    const { trace } = parseHistory(page(job(1), job(2, { labels: ['macos-latest'] })), 'jobs.json');

    expect(fromLabel(trace, 'Ubuntu-Latest').jobs).toEqual([{ ...traced, labels: [] }]);
    expect(() => fromLabel(trace, 'gpu')).toThrow('jobs ask for macos-latest, ubuntu-latest');
  });
});

describe('variants of a configuration', () => {
  const base = file(
    'base.yaml',
    'scaling_mode: idle\nasg_min_size: 1\nasg_max_size: 4\nidle_runners_target_count: 1\nwarm_pool_max_size: 0\n',
  );
  const choose = (options: Partial<Parameters<typeof chosenConfigurations>[1]>) => {
    const refused: string[] = [];
    const found = chosenConfigurations([base], { sweep: [], modes: false, ...options }, (reason) =>
      refused.push(reason),
    );
    return { found, refused };
  };

  it('a sweep is every combination of its values; one that the construct refuses is left out with the reason', () => {
    const { found, refused } = choose({ sweep: ['scaling_mode=idle,jobs', 'idle_runners_target_count=0,2'] });

    expect(found.map(({ name }) => name)).toEqual([
      'base, scaling_mode=idle, idle_runners_target_count=2',
      'base, scaling_mode=jobs, idle_runners_target_count=0',
      'base, scaling_mode=jobs, idle_runners_target_count=2',
    ]);
    expect(found[2]!.inputs).toMatchObject({ scalingMode: 'jobs', idleRunnersTargetCount: 2, asgMaxSize: 4 });
    expect(refused).toEqual([expect.stringContaining('scaling_mode=idle, idle_runners_target_count=0: idle_runners')]);
    expect(choose({ sweep: ['asg_max_size=3'] }).found).toMatchObject([{ name: 'base, asg_max_size=3' }]);
    expect(() => choose({ sweep: ['asg_max_size'] })).toThrow('give an input and its values');
  });

  it('a configuration can be tried in both modes, with a warm pool, and with a fixed number of runners', () => {
    const { found, refused } = choose({ modes: true, fixed: 3 });

    expect(found.map(({ name, inputs }) => [name, inputs.scalingMode ?? 'idle', inputs.warmPoolMaxSize])).toEqual([
      ['base', 'idle', 0],
      ['base, jobs mode', 'jobs', 0],
      ['base, jobs mode with warm pool', 'jobs', 4],
      ['base, 3 at all times', 'idle', 0],
    ]);
    expect(found[3]!.inputs).toMatchObject({ asgMinSize: 3, asgMaxSize: 3 });
    expect(refused).toEqual([]);
  });
});

describe('a configuration with types', () => {
  const typed = file(
    'typed.yaml',
    `scaling_mode: jobs
asg_min_size: 1
asg_max_size: 4
idle_runners_target_count: 2
extra_labels: [small]
types:
  large: { instance_types: [m7a.2xlarge, m6a.2xlarge], asg_max_size: 10, extra_labels: [big] }
  arm: { architecture: arm64, idle_runners_target_count: 1 }
`,
  );
  const choose = (options: Partial<Parameters<typeof chosenConfigurations>[1]>) =>
    chosenConfigurations([typed], { sweep: [], modes: false, ...options }, (reason) => {
      throw new Error(reason);
    });

  it('what-if asks which type is meant, and refuses one that is not there', () => {
    expect(() => choose({})).toThrow('has types, and each scales by itself');
    expect(() => choose({ type: 'small' })).toThrow('has no type small');
  });

  it('a type is tried with its own settings, and with those of the fleet that it takes over', () => {
    expect(choose({ type: 'large' })).toMatchObject([
      {
        name: 'typed, type large',
        inputs: {
          scalingMode: 'jobs',
          asgMinSize: 0,
          asgMaxSize: 10,
          idleRunnersTargetCount: 0,
          warmPoolMaxSize: 0,
          instanceTypes: ['m7a.2xlarge', 'm6a.2xlarge'],
          extraLabels: ['big'],
        },
      },
    ]);
    const [arm] = choose({ type: 'arm' });
    expect(arm!.inputs).toMatchObject({ architecture: 'arm64', asgMaxSize: 4, idleRunnersTargetCount: 1 });
    expect(arm!.inputs.extraLabels).toBeUndefined();
  });

  it('the default type is the fleet without its types', () => {
    const [fleet] = choose({ type: 'default' });

    expect(fleet!.inputs).toMatchObject({ asgMinSize: 1, asgMaxSize: 4, extraLabels: ['small'] });
    expect(fleet!.inputs.types).toBeUndefined();
  });

  it('a sweep changes the inputs of the type that is asked for', () => {
    const swept = choose({ type: 'large', sweep: ['asg_max_size=3,6'] });

    expect(swept.map(({ name, inputs }) => [name, inputs.asgMaxSize])).toEqual([
      ['typed, type large, asg_max_size=3', 3],
      ['typed, type large, asg_max_size=6', 6],
    ]);
  });
});

describe('the result', () => {
  const one = (name: string, p95: number, total: number, unfinished = 0) =>
    ({ name, waitSeconds: { p95 }, cost: { total }, jobs: { unfinished } }) as Figures;
  const figures = [one('fast', 5, 90), one('slow', 900, 10), one('middle', 60, 30), one('worse', 70, 40)];
  const stuck = one('stuck', 1, 1, 3);

  it('the cheapest within a wait is the result, if every job came to its end', () => {
    expect(cheapestWithin([...figures, stuck], 100)?.name).toBe('middle');
    expect(cheapestWithin(figures, 4)).toBeUndefined();
  });

  it('the front has what no other beats in both wait and cost, the cheapest first', () => {
    expect(paretoFront(figures).map(({ name }) => name)).toEqual(['slow', 'middle', 'fast']);
  });

  it('runners of GitHub’s own are billed by each job’s minutes, rounded up', () => {
    const { jobs } = parseTrace(`${heading}2026-01-05T09:30:00Z,61,\n2026-01-05T09:30:00Z,60,\n`, 'jobs.csv');
    const prices = { ...readPrices(), hosted: { runner: 'Linux 2-core', minute: 0.5 } };

    expect(hostedCostOf({ jobs }, prices)).toEqual({
      runner: 'Linux 2-core',
      minutes: 3,
      total: 1.5,
    });
  });
});

describe('the generator', () => {
  it('the generator writes the shipped sample week: quiet nights and weekends, nightly builds', async () => {
    const out = join(folder, 'week.csv');

    const { exitCode } = await droverAlone('what-if', '--generate', 'week', '--out', out);

    expect(exitCode).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe(
      readFileSync(new URL('../../../examples/what-if/week.csv', import.meta.url), 'utf8'),
    );
    const { jobs } = parseTrace(readFileSync(out, 'utf8'), out);
    const within = (day: number, fromHour: number, toHour: number) =>
      jobs.filter(({ queuedAtMs }) => {
        const hours = (queuedAtMs - Date.UTC(2026, 0, 5 + day)) / 3_600_000;
        return hours >= fromHour && hours < toHour;
      }).length;
    expect(within(1, 9, 12)).toBeGreaterThan(50);
    expect(within(1, 3, 5)).toBe(0);
    expect(within(1, 2, 3)).toBe(10);
    expect(within(5, 0, 24)).toBeLessThan(60);
  });

  it('the generator returns the same jobs for the same seed and different ones for another', () => {
    expect(generateTrace('burst', 'a')).toEqual(generateTrace('burst', 'a'));
    expect(generateTrace('burst', 'a')).not.toEqual(generateTrace('burst', 'b'));
    const jobs = generateTrace('burst', 'a');
    expect(parseTrace(writeTrace(jobs), 'burst.csv').jobs).toEqual(jobs);
  });
});

describe('the estimate', () => {
  it('the estimate multiplies hours by prices, volumes by a month of 730 hours', () => {
    const usage = {
      runningHours: { onDemand: new Map([['t3a.medium', 100]]), spot: new Map([['t3.medium', 50]]) },
      hibernatedHours: 73,
      volumeHours: 219,
      peakRunning: 3,
    };
    const prices = {
      ...readPrices(),
      volumeGiBMonth: 0.1,
      instanceHour: { 't3a.medium': { onDemand: 0.04, spot: 0.01 }, 't3.medium': { onDemand: 0.05, spot: 0.02 } },
    };

    const cost = costOf(usage, 30, prices);

    expect(cost.onDemand).toBeCloseTo(4);
    expect(cost.spot).toBeCloseTo(1);
    expect(cost.hibernated).toBeCloseTo(0.3);
    expect(cost.volumes).toBeCloseTo(0.6);
    expect(cost.total).toBeCloseTo(5.9);
  });

  it('the price table names its date, region and source', () => {
    const prices = readPrices();

    expect(prices.date).toMatch(/^\d{4}-\d{2}/);
    expect(prices).toMatchObject({ region: 'us-east-1', currency: 'USD', source: expect.stringContaining('Spot') });
    for (const { onDemand, spot } of Object.values(prices.instanceHour)) expect(spot).toBeLessThan(onDemand);
  });

  it.each([
    [[1, 2, 3, 4], 50, 2],
    [[1, 2, 3, 4], 95, 4],
    [[7], 99, 7],
    [[], 50, 0],
  ])('takes of %j the nearest rank of %i %%', (values, percent, expected) => {
    expect(percentile(values, percent)).toBe(expected);
  });
});

describe('a command line that cannot work', { timeout: 600_000 }, () => {
  const jobs = file('jobs.csv', oneJob);
  const fleet = file('fleet.yaml', 'asg_max_size: 4\n');

  it.each([
    ['no configuration', ['--jobs', jobs], 2, 'no configuration is given'],
    ['no trace', [fleet], 2, '--jobs TRACE is missing'],
    ['nowhere to write the trace', ['--generate', 'week'], 2, '--generate needs --out'],
    ['a generator with configurations', [fleet, '--generate', 'week', '--out', 'x.csv'], 2, 'only writes a trace'],
    [
      'hours that are no number',
      [fleet, '--jobs', jobs, '--hours', 'many'],
      2,
      'It must be a whole number from 1 to 744',
    ],
    ['a missing configuration', ['missing.yaml', '--jobs', jobs], 1, 'missing.yaml: it cannot be read'],
    ['a missing trace', [fleet, '--jobs', 'missing.csv'], 1, 'missing.csv cannot be read'],
    [
      'a bad trace',
      [fleet, '--jobs', file('bad.csv', `${heading}now,1,`)],
      1,
      "line 2: queued_at 'now' is not allowed",
    ],
    [
      'an unknown key',
      [file('typo.yaml', 'asg_maxsize: 4\n'), '--jobs', jobs],
      1,
      'typo.yaml: asg_maxsize: there is no such input. Did you mean asg_max_size',
    ],
    [
      'a contradiction',
      [file('contradiction.yaml', 'asg_min_size: 5\nasg_max_size: 4\n'), '--jobs', jobs],
      1,
      'asg_max_size: 4 is below asg_min_size 5',
    ],
    [
      'a type without price',
      [file('rare.yaml', 'instance_type: p5.48xlarge\nwarm_pool_max_size: 0\n'), '--jobs', jobs],
      1,
      'rare: there is no price for p5.48xlarge',
    ],
    ['a bad price table', [fleet, '--jobs', jobs, '--prices', file('prices.json', '{}')], 1, 'region is missing'],
    ['the same configuration twice', [fleet, fleet, '--jobs', jobs], 1, 'is given twice'],
    [
      'a picture in a folder that is not there',
      [fleet, '--jobs', jobs, '--svg', '/nowhere/p.svg'],
      1,
      'cannot be written',
    ],
  ])('a what-if command line with %s says so in one line and writes nothing', async (_, argv, code, message) => {
    const picture = join(folder, 'never.svg');

    const { exitCode, stdout, stderr } = await droverAlone(
      'what-if',
      ...argv,
      ...(argv.includes('--svg') || argv.includes('--generate') ? [] : ['--svg', picture]),
    );

    expect(stderr).toContain(message);
    expect(exitCode).toBe(code);
    expect(stdout).toBe('');
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(existsSync(picture)).toBe(false);
  });
});
