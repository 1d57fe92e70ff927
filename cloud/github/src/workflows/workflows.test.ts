import { describe, expect, it } from 'vitest';
import { type Answer, HostStage, hours, org } from '../code-host.test-support.ts';

const file = '.github%2Fworkflows%2Ftest.yml';
const workflow = `
name: test
run-name: run \${{ inputs.id }}
on:
  workflow_dispatch:
    inputs:
      id: { required: true, type: string }
      runs_on: { type: string, default: '"linux"' }
jobs:
  first: { name: 'first \${{ inputs.id }}', runs-on: '\${{ fromJSON(inputs.runs_on) }}', steps: [{ run: exit 1 }] }
  second: { runs-on: linux, steps: [{ run: sleep 5 }] }
`;

class Repository extends HostStage {
  repo(route: string, body?: unknown): Promise<Answer> {
    const [method, path] = route.split(' ') as [string, string];
    return this.ask(`${method} /repos/${org}/app/${path}`, body === undefined ? {} : { body });
  }

  async push(text = workflow): Promise<void> {
    const content = Buffer.from(text).toString('base64');
    const { status } = await this.repo(`PUT contents/${file}`, { message: 'add', content });
    expect(status).toBe(201);
    await this.clock.advance(3_000);
  }

  dispatch(inputs: object = { id: 'a' }, more: object = {}): Promise<Answer> {
    return this.repo('POST actions/workflows/test.yml/dispatches', {
      ref: 'main',
      inputs,
      return_run_details: true,
      ...more,
    });
  }

  async started(inputs?: object): Promise<number> {
    return (await this.dispatch(inputs)).body.workflow_run_id;
  }

  async jobs(id: number, filter = 'latest') {
    return (await this.repo(`GET actions/runs/${id}/jobs?filter=${filter}`)).body.jobs;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: as the API sends it
const ends = (jobs: any[]) =>
  jobs.map(({ name, run_attempt, status, conclusion }) => [name, run_attempt, status, conclusion]);

describe('files of a repository', () => {
  it('a file is created, read, listed and deleted; who changes it must know what it is', async () => {
    const stage = new Repository();
    await stage.push();
    const { body: read } = await stage.repo(`GET contents/${file}`);
    const { body: listed } = await stage.repo('GET contents/.github%2Fworkflows');
    const change = { message: 'change', content: 'YQ==' };
    const blind = await stage.repo(`PUT contents/${file}`, change);
    const stale = await stage.repo(`PUT contents/${file}`, { ...change, sha: 'f'.repeat(40) });
    const elsewhere = await stage.repo(`PUT contents/${file}`, { ...change, branch: 'other' });
    const changed = await stage.repo(`PUT contents/${file}`, { ...change, sha: read.sha });
    const gone = await stage.repo(`DELETE contents/${file}`, { message: 'end', sha: changed.body.content.sha });

    expect(Buffer.from(read.content, 'base64').toString()).toBe(workflow);
    expect(listed.map(({ path }: { path: string }) => path)).toEqual(['.github/workflows/test.yml']);
    expect([blind, stale, elsewhere, changed, gone].map(({ status }) => status)).toEqual([422, 409, 404, 200, 200]);
    expect((await stage.repo(`GET contents/${file}`)).status).toBe(404);
  });
});

describe('a workflow that is started by hand', () => {
  it('a workflow that is dispatched has a run with a job for each of its jobs, which runners of their labels get', async () => {
    const stage = new Repository();
    await stage.push();
    const id = await stage.started({ id: 'a', runs_on: '["linux", "large"]' });
    const listener = stage.connect(stage.register(1, 'r-', ['linux'])[0]!);
    await stage.clock.advance(5_000);

    expect((await stage.jobs(id)).map((job: { labels: string[] }) => job.labels)).toEqual([
      ['linux', 'large'],
      ['linux'],
    ]);
    expect(listener.jobs).toMatchObject([{ script: 'sleep 5', run: { id, name: 'second' } }]);
    const { body } = await stage.repo(`GET actions/runs/${id}`);
    expect(body).toMatchObject({ display_title: 'run a', status: 'in_progress', conclusion: null, run_attempt: 1 });
    expect((await stage.repo('GET actions/runs?event=workflow_dispatch')).body).toMatchObject({ total_count: 1 });
    expect((await stage.repo('GET actions/runs?event=push')).body.workflow_runs).toEqual([]);
  });

  it.each([
    ['a file that was pushed this moment', 404, { early: true }],
    ['a branch that is not there', 422, { ref: 'other' }],
    ['an input that it does not have', 422, { inputs: { id: 'a', other: 'b' } }],
    ['a missing input', 422, { inputs: {} }],
    ['a workflow that has no such trigger', 422, { text: 'on: { push: {} }\njobs: {}' }],
    ['an expression that is not modelled', 501, { text: `${workflow}\n  third: { runs-on: '\${{ matrix.os }}' }` }],
  ])(
    'a dispatch is refused for %s',
    async (_why, status, {
      early = false,
      text,
      ref = 'main',
      inputs,
    }: {
      early?: boolean;
      text?: string;
      ref?: string;
      inputs?: object;
    }) => {
      const stage = new Repository();
      await stage.push(text);
      if (early)
        await stage.repo(`DELETE contents/${file}`, {
          message: 'm',
          sha: (await stage.repo(`GET contents/${file}`)).body.sha,
        });
      if (early)
        await stage.repo(`PUT contents/${file}`, { message: 'm', content: Buffer.from(workflow).toString('base64') });
      expect((await stage.dispatch(inputs, { ref })).status).toBe(status);
    },
  );

  it('a cancelled run has cancelled jobs and can be deleted; one that has ended cannot be cancelled', async () => {
    const stage = new Repository();
    await stage.push();
    const id = await stage.started();
    const early = await stage.repo(`DELETE actions/runs/${id}`);
    const cancelled = await stage.repo(`POST actions/runs/${id}/cancel`);
    const again = await stage.repo(`POST actions/runs/${id}/cancel`);

    expect(ends(await stage.jobs(id))).toEqual([
      ['first a', 1, 'completed', 'cancelled'],
      ['second', 1, 'completed', 'cancelled'],
    ]);
    const gone = await stage.repo(`DELETE actions/runs/${id}`);
    expect([early, cancelled, again, gone].map(({ status }) => status)).toEqual([403, 202, 409, 204]);
    expect((await stage.repo(`GET actions/runs/${id}`)).status).toBe(404);
    expect(stage.host.registry.queue.waiting).toEqual([]);
  });
});

// Naive: takes a failed job of a run again while another one runs.
it('[rule 40] a job is run again only when its whole run is completed, within thirty days', async () => {
  const stage = new Repository();
  await stage.push();
  const id = await stage.started();
  const [first, second] = stage.register(2, 'r-', ['linux']).map((runner) => stage.connect(runner));
  await stage.clock.advance(5_000);
  const [failed] = await stage.jobs(id);
  const job = first!.jobs[0]!;
  first!.connection.run(job).complete({ result: 'failed' });
  const rerun = () => stage.repo(`POST actions/jobs/${failed.id}/rerun`);

  const early = await rerun();
  second!.connection.run(second!.jobs[0]!).complete();
  const done = await rerun();
  const twice = await rerun();

  expect(early).toMatchObject({
    status: 403,
    body: { message: 'The workflow run containing this job is already running' },
  });
  expect([done.status, twice.status]).toEqual([201, 404]);
  expect(ends(await stage.jobs(id))).toMatchObject([
    ['first a', 2, 'queued', null],
    ['second', 1, 'completed', 'success'],
  ]);
  expect(ends(await stage.jobs(id, 'all'))).toHaveLength(3);
  const other = await stage.started();
  await stage.repo(`POST actions/runs/${other}/cancel`);
  const old = (await stage.jobs(other))[0].id;
  await stage.clock.advance(31 * 24 * hours);
  expect((await stage.repo(`POST actions/jobs/${old}/rerun`)).status).toBe(403);
});
