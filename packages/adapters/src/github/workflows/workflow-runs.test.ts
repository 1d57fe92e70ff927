import { HostStage, org } from '@drover/cloud-github/testing';
import { Secret } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { PlatformClient } from '../client.ts';
import { tokenCredentials } from '../credentials.ts';
import { workflowRuns } from './workflow-runs.ts';

const repository = `${org}/app`;
const path = '.github/workflows/ci.yml';
const job = (name: string) => ({ name, labels: ['linux'], script: '', uses: undefined });

function invocation(stage: HostStage, token = stage.token) {
  const { clock, fetch, host } = stage;
  const credentials = tokenCredentials(async () => new Secret(token));
  const { apiUrl } = host;
  return workflowRuns(new PlatformClient({ apiUrl, level: { kind: 'org', name: org }, clock, fetch, credentials }));
}

describe('runs of workflows', () => {
  it('a run is found with its attempt, its failed jobs with their runners, and one of them is run again', async () => {
    const stage = new HostStage();
    const runs = invocation(stage);
    const started = stage.host.runs.start(repository, path, { name: 'ci', title: 'ci', jobs: [job('a'), job('b')] });
    const run = { repository, runId: started.id };
    const [first, second] = stage.register(2, 'i-', ['linux']).map((runner) => stage.connect(runner));
    await stage.clock.advance(5_000);
    first!.connection.run(first!.jobs[0]!).complete({ result: 'failed' });
    const failed = (await runs.jobs(run)).find((one) => one.failed)!;

    expect(await runs.find(run)).toEqual({ completed: false, attempt: 1 });
    expect(failed).toMatchObject({ runnerName: 'i-1', completedAt: expect.any(Number) });
    expect(await runs.rerunJob(repository, failed.id)).toBe('running');
    second!.connection.run(second!.jobs[0]!).complete();
    expect(await runs.find(run)).toEqual({ completed: true, attempt: 1 });
    expect(await runs.rerunJob(repository, failed.id)).toBe('asked');
    expect(await runs.find(run)).toEqual({ completed: false, attempt: 2 });
    expect(await runs.jobs(run)).toMatchObject([
      { failed: false, completedAt: undefined },
      { runnerName: 'i-2', failed: false },
    ]);
  });

  it('a run with more jobs than a page has is read to its end', async () => {
    const stage = new HostStage();
    const jobs = Array.from({ length: 130 }, (_, index) => job(`job-${index}`));
    const { id } = stage.host.runs.start(repository, path, { name: 'ci', title: 'ci', jobs });

    expect(await invocation(stage).jobs({ repository, runId: id })).toHaveLength(130);
  });

  it('a token without the right, and a repository that it does not see, have a remedy that names Actions: write', async () => {
    const stage = new HostStage();
    stage.host.credentials.addToken('ghp_reads', { account: 'user ID 2', org, mayManageRunners: 'read' });
    const { id } = stage.host.runs.start(repository, path, { name: 'ci', title: 'ci', jobs: [job('a')] });
    const remedy = expect.stringMatching(/Actions: write/);

    await expect(invocation(stage, 'ghp_reads').find({ repository, runId: id })).rejects.toMatchObject({
      status: 403,
      remedy,
    });
    await expect(invocation(stage).find({ repository: 'else/where', runId: id })).rejects.toMatchObject({
      status: 404,
      remedy,
    });
  });
});
