import { describe, expect, it } from 'vitest';
import { hours, minutes, org } from '../code-host.test-support.ts';
import { at, ScaleSetStage } from './scale-set-stage.test-support.ts';

describe('the way to the Actions service', () => {
  it.each([
    { path: `orgs/${org}`, level: org },
    { path: `repos/${org}/app`, level: `${org}/app` },
    { path: 'enterprises/example-enterprise', level: 'enterprises/example-enterprise' },
  ])('a registration token of $path buys an address and a token of its own', async ({ path, level }) => {
    const stage = new ScaleSetStage();
    await stage.create();
    const before = stage.serviceUrl;

    const answer = await stage.authenticate(path, level);
    const { body } = await stage.call('GET _apis/runtime/runnerscalesets');

    const claims = JSON.parse(Buffer.from(stage.adminToken.split('.')[1]!, 'base64url').toString());
    expect(answer.status).toBe(200);
    expect(claims.exp * 1000).toBe(stage.clock.now() + hours);
    expect([stage.serviceUrl === before, body.count]).toEqual(level === org ? [true, 1] : [false, 0]);
  });

  it.each([
    { apiUrl: 'https://api.github.com', service: 'https://pipelinesghubeus1.actions.githubusercontent.com/' },
    { apiUrl: 'https://api.octo.ghe.com', service: 'https://pipelinesghubeus1.actions.octo.ghe.com/' },
    { apiUrl: 'https://ghe.example.com/api/v3', service: 'https://ghe.example.com/_services/pipelines/' },
  ])('$apiUrl has the service and the message queue on hosts of its own', async ({ apiUrl, service }) => {
    const stage = new ScaleSetStage({ apiUrl });
    const session = await stage.openSession(await stage.create());

    expect(stage.serviceUrl.startsWith(service)).toBe(true);
    expect(session.queueUrl).toMatch(
      apiUrl.endsWith('/api/v3')
        ? /^https:\/\/ghe\.example\.com\/_services\/pipelines\/[\w-]+\/_apis\/runtime\/runnerscalesets\/1\/messages\?/
        : /^https:\/\/broker\.actions\.(githubusercontent\.com|octo\.ghe\.com)\/scalesets\/message$/,
    );
    expect((await session.poll()).status).toBe(202);
  });

  it('only the registration counts against limits, its second step in a bucket of its own', async () => {
    const stage = new ScaleSetStage();
    const session = await stage.openSession(await stage.create());
    await session.poll();
    await session.close();

    const { limits } = stage.host;
    const used = [limits.used('user ID 1'), limits.used('user ID 1', 'actions_runner_registration')];
    expect([...used, stage.host.countedRequests]).toEqual([1, 1, 2]);
  });

  it('an app needs to administer repositories for runners of one, and has no way to an enterprise', async () => {
    const stage = new ScaleSetStage();
    const tokenOf = async (app: ReturnType<typeof stage.installApp>) =>
      `Bearer ${(await stage.ask(`POST ${app.tokensPath}`, { authorization: app.jwt() })).body.token}`;
    const plain = await tokenOf(stage.installApp());
    const able = await tokenOf(stage.installApp({ id: 78, mayAdministerRepositories: true }));
    const ask = async (path: string, authorization: string) =>
      (await stage.ask(`POST /${path}/actions/runners/registration-token`, { authorization })).status;

    expect(await ask(`orgs/${org}`, plain)).toBe(201);
    expect(await ask(`repos/${org}/app`, plain)).toBe(403);
    expect(await ask(`repos/${org}/app`, able)).toBe(201);
    expect(await ask('enterprises/example-enterprise', able)).toBe(403);
    expect(await ask('repos/somebody/app', able)).toBe(404);
    expect(await ask('enterprises/other', `token ${stage.token}`)).toBe(404);
  });

  it('refuses an address that the token is not for, a void token and a request without a version', async () => {
    const stage = new ScaleSetStage();
    await stage.authenticate();
    const { token } = stage.host.registry.mintToken('registration');
    const elsewhere = await stage.ask('POST /actions/runner-registration', {
      authorization: `RemoteAuth ${token}`,
      body: { url: 'https://github.com/other-org', runner_event: 'register' },
    });
    const unversioned = await stage.request(
      'GET',
      `${stage.serviceUrl}_apis/runtime/runnerscalesets`,
      stage.adminToken,
    );
    await stage.clock.advance(hours);
    const late = await stage.call('GET _apis/runtime/runnerscalesets');

    expect([elsewhere.status, unversioned.status, late.status]).toEqual([404, 400, 401]);
    expect(late.headers.activityid).toMatch(/^[0-9a-f-]{36}$/);
    expect(late.body.typeName).toContain('UnauthorizedRequestException');
  });
});

describe('a scale set', () => {
  it('a scale set is found by name and group, and its name is unique within the group', async () => {
    const stage = new ScaleSetStage();
    const set = await stage.create();
    const large = stage.host.addGroup('large');
    const add = (runnerGroupId: number) =>
      stage.call('POST _apis/runtime/runnerscalesets', { body: { name: 'linux', runnerGroupId } });
    const group = await stage.call('GET _apis/runtime/runnergroups/?groupName=default');
    const found = await stage.call('GET _apis/runtime/runnerscalesets?runnerGroupId=1&name=linux');
    const [same, other, nowhere] = [await add(1), await add(large), await add(99)];

    expect(group.body).toMatchObject({ count: 1, value: [{ id: 1, name: 'Default', isDefaultGroup: true }] });
    expect(found.body.value).toMatchObject([{ id: set.id, name: 'linux', RunnerSetting: { disableUpdate: true } }]);
    expect([same.status, other.status, nowhere.status]).toEqual([409, 200, 404]);
    expect(same.body.typeName).toBe(
      'GitHub.Actions.Runtime.WebApi.RunnerScaleSetExistsException, GitHub.Actions.Runtime.WebApi',
    );
  });

  it('takes jobs for its name or its labels, also for labels that it gets later', async () => {
    const stage = new ScaleSetStage();
    const set = await stage.create('linux', { labels: [{ type: 'System', name: 'Large' }] });
    const session = await stage.openSession(set);
    const { queue } = stage.host.registry;
    for (const runsOn of [['linux'], ['large'], ['linux', 'LARGE'], ['gpu'], ['self-hosted', 'linux']])
      queue.enqueue({ durationMs: minutes, runsOn });

    expect(await session.next()).toEqual(['JobAssigned job-1', 'JobAssigned job-2', 'JobAssigned job-3']);
    await stage.call(`PATCH ${at(set)}`, { body: { labels: [{ type: 'System', name: 'gpu' }] } });
    expect(await session.next()).toEqual(['JobAssigned job-4']);
    expect(queue.waiting.map(({ scaleSetId }) => scaleSetId)).toEqual([1, 1, 1, 1, undefined]);
  });

  it('a scale set of an Enterprise Server keeps one of several labels without a word', async () => {
    const stage = new ScaleSetStage({ apiUrl: 'https://ghe.example.com/api/v3' });
    const set = await stage.create('linux', { labels: ['a', 'b'].map((name) => ({ type: 'System', name })) });

    expect(set.settings.labels).toEqual([{ type: 'System', name: 'a' }]);
  });

  it('a scale set of a repository takes jobs of that repository only', async () => {
    const stage = new ScaleSetStage();
    await stage.authenticate(`repos/${org}/app`, `${org}/app`);
    const session = await stage.openSession(await stage.create());
    for (const repository of [`${org}/other`, `${org}/app`])
      stage.host.registry.queue.enqueue({ durationMs: minutes, runsOn: ['linux'], repository });

    expect(await session.next()).toEqual(['JobAssigned job-2']);
  });

  it('a scale set is not deleted while a job runs; afterwards waiting jobs are free and runners that are offline are gone', async () => {
    const stage = new ScaleSetStage();
    const set = await stage.create();
    const session = await stage.openSession(set);
    const { queue } = stage.host.registry;
    const [first, second] = [1, 2].map(() => queue.enqueue({ durationMs: minutes, runsOn: ['linux'] }));
    await session.next();
    const { id } = await stage.addRunner(set, 'i-1');
    const listener = stage.connect(id);
    await stage.addRunner(set, 'i-2');
    await stage.clock.advance(5_000);

    expect(await stage.call(`DELETE ${at(set)}`)).toMatchObject({ status: 400 });
    listener.connection.run(first!).complete();
    expect(await stage.call(`DELETE ${at(set)}`)).toMatchObject({ status: 204 });
    expect(await stage.call(`GET ${at(set)}`)).toMatchObject({ status: 404 });
    expect(stage.host.registry.runners).toEqual([]);
    expect([second!.state, second!.scaleSetId]).toEqual(['queued', undefined]);
  });

  it('a scale set is deleted when no client connected for a week, and its message ids begin again when it is made again', async () => {
    const stage = new ScaleSetStage();
    const set = await stage.create();
    const session = await stage.openSession(set);
    stage.host.registry.queue.enqueue({ durationMs: minutes, runsOn: ['linux'] });
    await session.next();
    await stage.clock.advance(6 * 24 * hours);
    await stage.authenticate();
    const again = await stage.openSession(set);
    await again.poll();
    await stage.clock.advance(6.9 * 24 * hours);
    expect(stage.host.scaleSets.named('linux')).toBe(set);
    await stage.clock.advance(0.2 * 24 * hours);
    expect(stage.host.scaleSets.all).toEqual([]);

    await stage.authenticate();
    const successor = await stage.openSession(await stage.create());
    stage.host.registry.queue.enqueue({ durationMs: minutes, runsOn: ['linux'] });
    expect(successor.set.id).toBe(2);
    expect((await successor.poll()).body.messageId).toBe(session.lastMessageId);
    expect((await successor.poll(10, session.lastMessageId)).status).toBe(202);
  });
});
