import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { Experiment } from './experiment.ts';
import { clean, labOf, leftBy } from './ground.ts';
import { experiments } from './list.ts';
import { Rehearsal } from './rehearsal.ts';
import { keep, make, type Result, tableOf } from './results.ts';
import { preload } from './runner.ts';

const named = (id: string) => experiments.find((experiment) => experiment.id === id)!;
const rehearsed = experiments.filter(({ notRehearsed }) => notRehearsed === undefined);
const left = (ground: Rehearsal, experiment: Experiment) => leftBy(experiment, ground.parts(ground.time()));

it.each(rehearsed)('experiment $id says yes on the doubles and leaves nothing there', async (experiment) => {
  const ground = await Rehearsal.open();
  const result = await make(experiment, ground);

  expect(result).toMatchObject({ verdict: 'yes', left: [] });
  expect(result.evidence.length).toBeGreaterThan(0);
  expect(await left(ground, experiment)).toEqual([]);
  expect(ground.host.scaleSets.all).toEqual([]);
});

it('experiment E2 says no where the numbers of a session are not those of the moment', async () => {
  const ground = await Rehearsal.open();
  const operation = 'PATCH /_apis/runtime/runnerscalesets/{id}/sessions/{session}';
  ground.engine.faults.add({ service: 'platform', operation, effect: { kind: 'misbehave', how: 'statistics-zero' } });
  const result = await make(named('E2'), ground);

  expect(result).toMatchObject({ verdict: 'no', left: [] });
  expect(result.because).toBe('PATCH did not count a job that was queued 60 s before');
});

it('experiment E4 says no where only the first label of a set counts', async () => {
  const ground = await Rehearsal.open({ apiUrl: 'https://github.example.com/api/v3' });

  expect(await make(named('E4'), ground)).toMatchObject({ verdict: 'no', left: [] });
});

it('experiment E5 says no when a session ends by itself', async () => {
  const ground = await Rehearsal.open();
  ground.clock.after(200_000, () => ground.host.scaleSets.evict(ground.host.scaleSets.all[0]!));

  expect(await make(named('E5'), ground)).toMatchObject({ verdict: 'no', because: '1 sessions ended by themselves' });
});

it('experiment E8 is unclear where LaunchInstances is not known, and its stack is removed', async () => {
  const ground = await Rehearsal.open();
  const { notRehearsed, ...experiment } = named('E8');

  expect(notRehearsed).toContain('no LaunchInstances');
  expect(await make(experiment, ground)).toMatchObject({ verdict: 'unclear', left: [] });
  expect(await left(ground, experiment)).toEqual([]);
});

it('an experiment that is interrupted removes what it has made', async () => {
  const ground = await Rehearsal.open();
  const stop = new AbortController();
  ground.clock.after(20_000, () => stop.abort(new Error('interrupted')));

  expect(await make(named('E1'), ground, { signal: stop.signal })).toMatchObject({
    verdict: 'unclear',
    because: 'interrupted',
    left: [],
  });
  expect(await left(ground, named('E1'))).toEqual([]);
});

it.each(['E3', 'E10'])(
  'what killed experiment %s has left keeps it from beginning, until it is removed by name',
  async (id) => {
    const ground = await Rehearsal.open();
    const experiment = named(id);
    const killed = new AbortController();
    ground.clock.after(45_000, () => killed.abort(new Error('killed')));
    await expect(experiment.run(labOf(ground, ground.time(killed.signal), false, () => {}))).rejects.toThrow('killed');

    const remains = await left(ground, experiment);
    expect(remains.length).toBeGreaterThan(1);
    expect(await make(experiment, ground)).toMatchObject({
      verdict: 'not run',
      because: expect.stringContaining('--clean'),
    });
    expect(await clean(experiment, ground.parts(ground.time()))).toEqual([]);
    expect(await left(ground, experiment)).toEqual([]);
  },
);

it('an experiment that cannot be rehearsed or was not given what it needs is not run, with the reason', async () => {
  const ground = await Rehearsal.open();
  const { notRehearsed, ...experiment } = named('E7');

  expect(await make(named('E7'), ground)).toMatchObject({ verdict: 'not run', because: notRehearsed });
  expect(await make(experiment, ground)).toMatchObject({
    verdict: 'not run',
    because: "needs --runner-folder, with GitHub's runner unpacked",
  });
});

it('the page of experiments has the question of each, and what it decides', () => {
  const page = readFileSync('docs/internal/EXPERIMENTS.md', 'utf8').replaceAll(/\s+/g, ' ');
  for (const { id, question, decides, notRehearsed = '' } of experiments) {
    expect(page).toContain(`| ${id} | ${question} |`);
    for (const { document, design } of decides)
      expect(page).toContain(`[${design}](${document.replace('docs/', '../')})`);
    expect(page).toContain(notRehearsed);
  }
});

it('results are kept with those of earlier runs, and shown as a table', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'drover-')), 'results', 'all.json');
  const result = (id: string, verdict: Result['verdict']) => ({ id, verdict, question: 'Is it?', because: 'seen' });
  keep(file, [result('E2', 'no'), result('E10', 'yes')] as Result[]);
  keep(file, [result('E2', 'yes'), result('E1', 'not run')] as Result[]);

  const kept = JSON.parse(readFileSync(file, 'utf8')) as Result[];
  expect(kept.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['E1', 'not run'],
    ['E2', 'yes'],
    ['E10', 'yes'],
  ]);
  expect(tableOf(kept).split('\n')[0]).toBe('E1   not run  Is it?');
});

it('the preload sees requests of modules that import https by name, and only in the Node of the runner', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-'));
  const [script, log] = [join(folder, 'client.mjs'), join(folder, 'log')];
  writeFileSync(
    script,
    `import { request } from 'node:https';
request(new URL('https://127.0.0.1:9/twirp/github.actions.results.api.v1.CacheService/CreateCacheEntry?sig=x')).on('error', () => {}).end();`,
  );
  const run = (node: string) => {
    const env = { NODE_OPTIONS: `--require=${preload}`, DROVER_EXPERIMENT_LOG: log, DROVER_EXPERIMENT_NODE: node };
    return spawnSync(process.execPath, [script], { env }).status;
  };
  const lines = () =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  expect([run(join(folder, 'externals')), run(dirname(process.execPath))]).toEqual([0, 0]);
  expect(lines()).toMatchObject([
    { event: 'loaded' },
    { event: 'request', host: '127.0.0.1', path: '/twirp/github.actions.results.api.v1.CacheService/CreateCacheEntry' },
  ]);
});
