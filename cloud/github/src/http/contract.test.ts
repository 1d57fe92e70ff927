import { describe, expect, it } from 'vitest';
import { HostStage, org } from '../code-host.test-support.ts';
import { contractOf, underContract } from './contract.test-support.ts';
import { routes } from './routes/routes.ts';

/** The prefix of paths, and the level of the runners. */
const levels = [
  [`/orgs/${org}`, org],
  [`/repos/${org}/app`, `${org}/app`],
  ['/enterprises/example-enterprise', 'enterprises/example-enterprise'],
] as const;

/** Files and runs of a repository. */
async function askWorkflows(stage: HostStage): Promise<void> {
  const [repo, file] = [`/repos/${org}/app`, `/repos/${org}/app/contents/.github%2Fworkflows%2Fa.yml`];
  const text = 'on: { workflow_dispatch: {} }\njobs: { one: { runs-on: linux } }';
  const body = { message: 'add', content: Buffer.from(text).toString('base64') };
  await stage.ask(`PUT ${file}`, { body });
  await stage.clock.advance(3_000);
  await stage.ask(`POST ${repo}/actions/workflows/a.yml/dispatches`, {
    body: { ref: 'main', ...(stage.host.enterprise ? {} : { return_run_details: true }) },
  });
  const [run] = (await stage.ask(`GET ${repo}/actions/runs`)).body.workflow_runs;
  await stage.ask(`GET ${repo}/actions/runs/${run.id}`);
  await stage.ask(`POST ${repo}/actions/runs/${run.id}/cancel`);
  const [job] = (await stage.ask(`GET ${repo}/actions/runs/${run.id}/jobs`)).body.jobs;
  await stage.ask(`POST ${repo}/actions/jobs/${job.id}/rerun`);
  await stage.ask(`POST ${repo}/actions/runs/${run.id}/cancel`);
  await stage.ask(`DELETE ${repo}/actions/runs/${run.id}`);
  const { sha } = (await stage.ask(`GET ${file}`)).body;
  await stage.ask(`DELETE ${file}`, { body: { message: 'end', sha } });
}

describe.each([
  { description: 'api.github.com', apiUrl: 'https://api.github.com' },
  { description: 'ghes-3.19', apiUrl: 'https://ghe.example.com/api/v3' },
] as const)('the contract with $description', ({ description, apiUrl }) => {
  it('holds for every route that is served', async () => {
    const stage = new HostStage({ apiUrl, perHour: 5000 });
    const app = stage.installApp();

    for (const [prefix, level] of levels) {
      const [id] = stage.register(1, `${level}-`, ['fleet'], 1, level);
      const runners = `${prefix}/actions/runners`;
      await stage.ask(`GET ${runners}`);
      await stage.ask(`GET ${runners}/${id}`);
      await stage.ask(`POST ${runners}/registration-token`);
      await stage.ask(`PUT ${runners}/${id}/labels`, { body: { labels: ['large'] } });
      await stage.ask(`DELETE ${runners}/${id}`);
      if (prefix.startsWith('/repos/')) continue;
      await stage.ask(`GET ${prefix}/actions/runner-groups`);
      await stage.ask(`GET ${prefix}/actions/runner-groups/1/runners`);
    }
    await askWorkflows(stage);
    await stage.ask(`GET /repos/${org}/app/installation`, { authorization: app.jwt() });
    await stage.ask(`POST /orgs/${org}/actions/runners/remove-token`);
    await stage.ask(`GET /orgs/${org}/installations`);
    await stage.ask(`GET /orgs/${org}/installation`, { authorization: app.jwt() });
    await stage.ask('GET /app/installations', { authorization: app.jwt() });
    await stage.ask(`POST ${app.tokensPath}`, { authorization: app.jwt() });
    await stage.ask('GET /rate_limit');
    await stage.ask('GET /repos/actions/runner/releases/latest');

    const descriptions = description === 'api.github.com' ? ([description, 'ghec'] as const) : [description];
    const checked = descriptions.flatMap((each) => contractOf(each).checked);
    const succeeded = checked.filter((line) => /20\d$/.test(line));
    const documented = routes.filter(
      ({ access, path }) => access !== 'registration' && !path.includes('/deprecations/'),
    );
    // Also by tests before this one: a route may have succeeded with two codes.
    const served = new Set(succeeded.map((line) => line.replace(/ \d+$/, '')));
    expect([...served].sort()).toEqual(documented.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('the contract also holds for a suspended installation', async () => {
    const stage = new HostStage({ apiUrl });
    stage.installApp();
    stage.host.credentials.suspend(77);

    const { body } = await stage.ask(`GET /orgs/${org}/installations`);

    expect(body.installations[0].suspended_at).toBe('2026-01-05T00:00:00Z');
  });
});

describe('the contract check itself', () => {
  const answering = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    underContract(async () => ({
      status,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'x-github-request-id': '1',
        'x-github-media-type': 'github.v3; format=json',
        'x-github-api-version-selected': '2022-11-28',
        ...headers,
      },
      body: JSON.stringify(body),
    }));
  const request = {
    method: 'GET',
    host: 'api.github.com',
    path: '/orgs/o/actions/runners',
    query: '',
    headers: {},
    body: new Uint8Array(0),
  };
  const runner = { id: 1, name: 'a', os: 'Linux', status: 'online', busy: false, labels: [] };
  const cases: [string, number, unknown][] = [
    ['a missing field', 200, { runners: [runner] }],
    ['a wrong type', 200, { total_count: 1, runners: [{ ...runner, busy: 'no' }] }],
    ['a field that is not described', 200, { total_count: 1, runners: [{ ...runner, idle: true }] }],
    ['a status that is not documented', 201, { total_count: 0, runners: [] }],
    ['an error without the page that documents it', 404, { message: 'Not Found' }],
  ];

  it.each(cases)('finds %s', async (_what, status, body) => {
    await expect(answering(status, body)(request)).rejects.toThrow(/runners 20[01]|runners 404/);
  });

  it('lets a correct response pass', async () => {
    await expect(answering(200, { total_count: 1, runners: [runner] })(request)).resolves.toMatchObject({
      status: 200,
    });
  });

  it('finds a path that GitHub does not have', async () => {
    await expect(answering(200, {})({ ...request, path: '/orgs/o/runners' })).rejects.toThrow(/not in GitHub/);
  });
});
