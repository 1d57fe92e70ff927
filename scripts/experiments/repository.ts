import { type PlatformClient, PlatformStatusError } from '@drover/adapters/github';
import type { Random } from '@drover/core';
import { nameOf, seconds } from './experiment.ts';
import { type Time, until } from './lab.ts';

interface Run {
  readonly id: number;
  readonly title: string;
  readonly path: string;
  readonly status: string;
}

export interface Job {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly runAttempt: number;
}

// biome-ignore lint/suspicious/noExplicitAny: members are read one by one below
type Answered = any;
const anything = (value: unknown): Answered => value;

export interface RepositoryOptions {
  readonly client: PlatformClient;
  /** `owner/name`. */
  readonly name: string;
  /** The default branch: only there a workflow can be started by hand. */
  readonly branch: string;
  readonly time: Time;
  readonly random: Random;
}

/** The repository whose jobs the experiments queue. */
export class Repository {
  readonly #options: RepositoryOptions;

  constructor(options: RepositoryOptions) {
    this.#options = options;
  }

  /** Pushes the workflow of an experiment; `jobs` is its part below `jobs:`. */
  async push(id: string, jobs: string): Promise<void> {
    const text = [
      `name: ${nameOf(id)}`,
      `run-name: ${nameOf(id)} \${{ inputs.id }}`,
      'on:',
      '  workflow_dispatch:',
      '    inputs:',
      '      id: { required: true, type: string }',
      `      runs_on: { type: string, default: '"none"' }`,
      'permissions: {}',
      'jobs:',
      jobs,
      '',
    ].join('\n');
    const content = Buffer.from(text).toString('base64');
    const body = { message: `Add the workflow ${nameOf(id)}`, content, branch: this.#options.branch };
    await this.#send('PUT', `contents/${pathOf(id)}`, body);
  }

  /** Starts the workflow of an experiment and returns its run, and the id in its title and the names of its jobs. */
  async start(id: string, runsOn: string | readonly string[] = 'none'): Promise<{ run: number; mark: string }> {
    const mark = this.#options.random.uuid().slice(0, 8);
    const body = { ref: this.#options.branch, inputs: { id: mark, runs_on: JSON.stringify(runsOn) } };
    const { time } = this.#options;
    // A file that was pushed this moment is not a workflow yet.
    const started = await until(
      time,
      () =>
        this.#send('POST', `actions/workflows/${nameOf(id)}.yml/dispatches`, body).then(
          () => true,
          (error: unknown) => isMissing(error) && false,
        ),
      seconds(120),
    );
    if (started === undefined) throw new Error(`GitHub does not know the workflow ${nameOf(id)} two minutes later`);
    const found = await until(
      time,
      async () => (await this.#runs(id)).find(({ title }) => title.endsWith(` ${mark}`)),
      seconds(120),
    );
    if (found === undefined) throw new Error(`GitHub shows no run of ${nameOf(id)} two minutes later`);
    return { run: found.id, mark };
  }

  /** The last attempt of each job. */
  async jobs(run: number): Promise<readonly Job[]> {
    const { jobs } = await this.#get(`actions/runs/${run}/jobs`);
    return jobs.map((job: Answered) => ({ ...job, runAttempt: job.run_attempt }));
  }

  /** Asks for a job to run again; returns the refusal, if it is one. */
  async rerun(job: number): Promise<{ status: number; message: string } | undefined> {
    try {
      await this.#send('POST', `actions/jobs/${job}/rerun`);
      return undefined;
    } catch (error) {
      if (!(error instanceof PlatformStatusError)) throw error;
      return { status: error.status, message: error.message };
    }
  }

  /** The file and the runs that an experiment has left here, in words. */
  async left(id: string): Promise<readonly string[]> {
    const file = await this.#file(id);
    const runs = await this.#runs(id);
    return [...(file === undefined ? [] : [`the file ${pathOf(id)}`]), ...runs.map((run) => `the run ${run.id}`)];
  }

  /** Cancels and deletes the runs of an experiment, and deletes its file. */
  async clean(id: string): Promise<void> {
    const { time, branch } = this.#options;
    for (const run of await this.#runs(id)) {
      if (run.status !== 'completed') await this.#send('POST', `actions/runs/${run.id}/cancel`).catch(whenOver);
      const over = async () => (await this.#get(`actions/runs/${run.id}`)).status === 'completed';
      if ((await until(time, over, seconds(600))) === undefined)
        throw new Error(`the run ${run.id} was cancelled and is not over ten minutes later`);
      await this.#send('DELETE', `actions/runs/${run.id}`);
    }
    const file = await this.#file(id);
    if (file === undefined) return;
    const body = { message: `Remove the workflow ${nameOf(id)}`, sha: file.sha, branch };
    await this.#send('DELETE', `contents/${pathOf(id)}`, body);
  }

  async #runs(id: string): Promise<readonly Run[]> {
    const { workflow_runs: runs } = await this.#get('actions/runs?event=workflow_dispatch&per_page=100');
    return runs
      .map((run: Answered): Run => ({ id: run.id, title: run.display_title, path: run.path, status: run.status }))
      .filter((run: Run) => run.path.startsWith(decodeURIComponent(pathOf(id))));
  }

  async #file(id: string): Promise<{ readonly sha: string } | undefined> {
    return await this.#get(`contents/${pathOf(id)}`).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
      return undefined;
    });
  }

  async #get(path: string): Promise<Answered> {
    const { client, name } = this.#options;
    return (await client.call(`GET /repos/${name}/${path}`, anything)).data;
  }

  async #send(method: string, path: string, body?: Record<string, unknown>): Promise<void> {
    const { client, name } = this.#options;
    await client.send(`${method} /repos/${name}/${path}`, body === undefined ? {} : { body });
  }
}

const pathOf = (id: string) => encodeURIComponent(`.github/workflows/${nameOf(id)}.yml`);

function isMissing(error: unknown): boolean {
  if (error instanceof PlatformStatusError && error.status === 404) return true;
  throw error;
}

/** It ended before it was cancelled. */
function whenOver(error: unknown): void {
  if (!(error instanceof PlatformStatusError) || error.status !== 409) throw error;
}
