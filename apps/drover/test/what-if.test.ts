import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JournalEntry } from '@drover/cloud-engine';
import { readPrices } from '@drover/operator/fleet/prices';
import { describe, expect, it } from 'vitest';
import { assemble } from '../../../packages/local/src/what-if/assemble.ts';
import { readConfigurations } from '../../../packages/local/src/what-if/configurations.ts';
import { type Figures, figuresOf } from '../../../packages/local/src/what-if/replay/figures.ts';
import { replay } from '../../../packages/local/src/what-if/replay/replay.ts';
import { replayApart } from '../../../packages/local/src/what-if/replay/replay-apart.ts';
import { generateTrace } from '../../../packages/local/src/what-if/trace/generate-trace.ts';
import { firstHours, parseTrace, writeTrace } from '../../../packages/local/src/what-if/trace/trace.ts';
import { droverAlone } from './memory-io.test-support.ts';

const samples = new URL('../../../examples/what-if/', import.meta.url).pathname;
const names = ['small', 'larger-idle-target', 'jobs', 'spot-above-base'];
const filesOf = (...configurations: string[]) => configurations.map((name) => `${samples}${name}.yaml`);
const hours = process.env.DROVER_THOROUGH === '1' ? 6 : 3;
const options = { seed: 'test', spotReclaimsPerDay: 0 };

describe('drover what-if', { timeout: 600_000 }, () => {
  it('what-if compares four configurations on the first hours of the sample week and draws them', async () => {
    const svg = join(mkdtempSync(join(tmpdir(), 'what-if-')), 'comparison.svg');
    const jobs = `${samples}week.csv`;

    const argv = ['--jobs', jobs, '--hours', String(hours), '--max-wait', '600', '--format', 'json', '--svg', svg];
    const { exitCode, stdout, stderr } = await droverAlone('what-if', ...filesOf(...names), ...argv);

    expect(exitCode).toBe(0);
    const report = JSON.parse(stdout) as {
      trace: { jobs: number };
      hosted: { minutes: number };
      cheapest: string;
      configurations: Figures[];
    };
    expect(report.configurations.map(({ name }) => name)).toEqual(names);
    for (const { jobs: fate, waitSeconds, cost, idleShare, hours: lasted } of report.configurations) {
      expect(fate).toMatchObject({ queued: report.trace.jobs, unfinished: 0 });
      // A job that outlasts allowed_drain_time on an instance that must go is lost; the report says how many.
      expect(fate.completed + fate.lost).toBe(report.trace.jobs);
      expect(waitSeconds.p50).toBeLessThanOrEqual(waitSeconds.p95);
      expect(cost.total).toBeGreaterThan(0);
      expect(idleShare).toBeGreaterThan(0);
      expect(idleShare).toBeLessThan(1);
      expect(lasted).toBeGreaterThanOrEqual(hours);
    }
    const [small, larger, perJob, spot] = report.configurations as [Figures, Figures, Figures, Figures];
    expect(small.cost.total).toBeLessThan(larger.cost.total);
    expect(small.waitSeconds.p99).toBeGreaterThan(larger.waitSeconds.p99);
    expect(perJob.jobs.lost).toBe(0);
    expect(perJob.cost.total).toBeLessThan(larger.cost.total);
    expect(perJob.warmPoolHours).toBeGreaterThan(0);
    expect(names).toContain(report.cheapest);
    expect(report.hosted.minutes).toBeGreaterThan(report.trace.jobs);
    expect(Math.max(...small.overTime.waiting)).toBeGreaterThan(0);
    expect(Math.max(...small.overTime.running)).toBeLessThanOrEqual(small.peakRunners);
    for (const { cost, overTime } of report.configurations) {
      expect(overTime.cost).toHaveLength(overTime.running.length);
      expect(overTime.cost).toEqual(overTime.cost.toSorted((a, b) => a - b));
      expect(overTime.cost[0]).toBe(0);
      expect(overTime.cost.at(-1)).toBeGreaterThan(0.9 * cost.total * (hours / (hours + 1)));
      expect(overTime.cost.at(-1)).toBeLessThanOrEqual(cost.total);
    }
    expect(spot.runnerHours.spot).toBeGreaterThan(0);
    expect(stderr).toContain('spot-above-base (4 of 4): day 1 of 1, 100 %');
    const picture = readFileSync(svg, 'utf8');
    expect(unbalanced(picture)).toEqual([]);
    for (const name of names) expect(picture).toMatch(new RegExp(`>${name}: p95 wait [^<]+ USD</text>`));
    expect(picture).toContain(`jobs in ${hours} hours</title>`);
    expect(picture.match(/<polyline class="bill"/g)).toHaveLength(names.length);
  });

  it('a replay in a separate process has the same result as one in this process', async () => {
    const trace = firstHours(parseTrace(readFileSync(`${samples}week.csv`, 'utf8'), 'week.csv'), 1);
    const candidate = assemble(readConfigurations(filesOf('small'))[0]!, 'drover');
    const passed: number[] = [];

    const apart = await replayApart(candidate, trace, { ...options, progress: (passedMs) => passed.push(passedMs) });

    expect(apart).toEqual(await replay(candidate, trace, options));
    expect(apart.jobs.completed).toBeGreaterThan(0);
    expect(passed).toEqual([3_600_000]);
  });

  it('a failed replay is reported with its configuration, and an interrupted one ends', async () => {
    const trace = firstHours(parseTrace(readFileSync(`${samples}week.csv`, 'utf8'), 'week.csv'), 1);
    const candidate = assemble(readConfigurations(filesOf('small'))[0]!, 'drover');
    const interrupted = new AbortController();

    await expect(replayApart({ ...candidate, assembly: '/nowhere' }, trace, options)).rejects.toThrow(
      /^small: .*ENOENT/,
    );
    const under = replayApart(candidate, trace, { ...options, signal: interrupted.signal });
    interrupted.abort(new Error('Ctrl-C'));
    await expect(under).rejects.toThrow('Ctrl-C');
  });

  it('the figures of a replay agree with the journal of the simulation', async () => {
    const trace = firstHours(parseTrace(readFileSync(`${samples}week.csv`, 'utf8'), 'week.csv'), 3);
    const [configuration] = readConfigurations(filesOf('warm-pool'));
    const candidate = assemble(configuration!, 'drover');
    const entries: JournalEntry[] = [];
    let platformQueue = () => ({});

    const outcome = await replay(candidate, trace, {
      ...options,
      watch: ({ world, codeHost }) => {
        world.engine.journal.subscribe((entry) => entries.push(entry));
        platformQueue = () => codeHost.registry.queue.counts;
      },
    });

    const prices = readPrices();
    const figures = figuresOf(candidate, outcome, prices);
    const endMs = trace.startMs + outcome.periodMs;
    const hours = hoursByState(entries, trace.startMs, endMs);
    expect(figures.runnerHours.total).toBeCloseTo(hours.running + hours.hibernating, 6);
    expect(figures.warmPoolHours).toBeCloseTo(hours.stopped, 6);
    expect(figures.warmPoolHours).toBeGreaterThan(5);
    expect(figures.cost.onDemand).toBeCloseTo(
      (hours.running + hours.hibernating) * prices.instanceHour['t3a.medium']!.onDemand,
      6,
    );
    expect(figures.cost.volumes + figures.cost.hibernated).toBeCloseTo((hours.all * 30 * 0.08) / 730, 6);
    const jobs = (name: string) =>
      entries.filter((entry) => entry.source === 'platform.job' && entry.name === name).length;
    expect(platformQueue()).toMatchObject({ queued: jobs('queued'), completed: jobs('completed'), lost: jobs('lost') });
    expect(figures.jobs).toMatchObject({ queued: jobs('queued'), completed: jobs('completed'), lost: jobs('lost') });
    expect(jobs('queued')).toBe(trace.jobs.length);
    expect(outcome.busyMs).toBe(busyMs(entries));
    const requests = entries.filter(
      ({ kind, source, at }) => kind === 'request' && source === 'platform' && at > trace.startMs,
    );
    expect(figures.platformRequests.total).toBe(requests.length);
    // Requests of config.sh have a registration token, and count to no rate limit.
    const ofConfigure = /runner-registration|runner-groups|runners\/register$/;
    const counted = requests.filter(({ name, detail }) => detail?.status !== 304 && !ofConfigure.test(name));
    expect(figures.platformRequests.counted).toBe(counted.length);
  });

  it('on a trace with bursts, step scaling has far shorter waits than one instance at a time', async () => {
    const jobs = writeTrace(generateTrace('burst', 'test'));
    const trace = firstHours(parseTrace(jobs, 'burst.csv'), 3);
    const [configuration] = readConfigurations(filesOf('spot-above-base'));

    const p95 = async (scaling: 'drover' | 'one-at-a-time') => {
      const candidate = assemble(configuration!, scaling);
      return figuresOf(candidate, await replay(candidate, trace, options), readPrices()).waitSeconds.p95;
    };
    const [ours, oneByOne] = [await p95('drover'), await p95('one-at-a-time')];

    expect(ours).toBeLessThan(0.7 * oneByOne);
  });
});

/** Hours that instances spent in each state, by the transitions that the journal has. */
function hoursByState(entries: readonly JournalEntry[], fromMs: number, toMs: number) {
  const hours = { running: 0, hibernating: 0, stopped: 0, all: 0 };
  const since = new Map<string, { state: string; at: number }>();
  const count = (state: string, begin: number, end: number) => {
    const spent = Math.max(0, Math.min(end, toMs) - Math.max(begin, fromMs)) / 3_600_000;
    hours.all += spent;
    if (state === 'running') hours.running += spent;
    if (state === 'stopping') hours.hibernating += spent;
    if (state === 'stopped') hours.stopped += spent;
  };
  for (const { kind, source, name, subject = '', at } of entries) {
    if (source !== 'aws.ec2' || kind !== 'transition') continue;
    const before = since.get(subject);
    if (before !== undefined) count(before.state, before.at, at);
    const [, state = ''] = name.split(' -> ');
    if (state === 'terminated') since.delete(subject);
    else since.set(subject, { state, at });
  }
  for (const { state, at } of since.values()) count(state, at, toMs);
  return hours;
}

/** The time between each job's start and end. */
function busyMs(entries: readonly JournalEntry[]): number {
  const started = new Map<string, number>();
  let total = 0;
  for (const { source, name, subject = '', at } of entries) {
    if (source !== 'platform.job') continue;
    if (name === 'running') started.set(subject, at);
    if (name === 'completed' || name === 'lost') total += at - (started.get(subject) ?? at);
  }
  return total;
}

/** Violations of well-formedness: tags that do not nest, bare ampersands or angle brackets. */
function unbalanced(xml: string): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  const rest = xml.replace(/<(\/?)([a-z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g, (_, close, name, __, empty) => {
    if (close === '/' && open.pop() !== name) wrong.push(`</${name}>`);
    if (close === '' && empty === '') open.push(name);
    return '';
  });
  return [...wrong, ...open, ...(rest.replace(/&#\d+;/g, '').match(/[<&].{0,20}/g) ?? [])];
}
