import { describe, expect, it } from 'vitest';
import { HostStage, hours, minutes, org } from '../code-host.test-support.ts';

const runners = `/orgs/${org}/actions/runners`;

describe('the list of runners', () => {
  it('[rule 21] has 30 on a page, 100 at most, and links to the others', async () => {
    const stage = new HostStage();
    stage.register(250);

    const first = await stage.ask(`GET ${runners}`);
    const large = await stage.ask(`GET ${runners}?per_page=1000&page=2`);
    const last = await stage.ask(`GET ${runners}?per_page=100&page=3`);

    expect(first.body.total_count).toBe(250);
    expect(first.body.runners).toHaveLength(30);
    expect(rels(first.headers.link)).toEqual({ next: 'page=2', last: 'page=9' });
    expect(large.body.runners.map((runner: { name: string }) => runner.name).at(0)).toBe('runner-101');
    expect(large.body.runners).toHaveLength(100);
    expect(last.body.runners).toHaveLength(50);
    expect(rels(last.headers.link)).toEqual({ prev: 'per_page=100&page=2', first: 'per_page=100&page=1' });
  });

  it('pages of runners can be followed by their links, which name the organisation by its number', async () => {
    const stage = new HostStage();
    stage.register(70);
    const names: string[] = [];

    let next: string | undefined = `GET ${runners}`;
    while (next !== undefined) {
      const { body, headers } = await stage.ask(next);
      names.push(...body.runners.map((runner: { name: string }) => runner.name));
      const url: string | undefined = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
      next = url === undefined ? undefined : `GET ${url.replace(stage.host.apiUrl, '')}`;
    }

    expect(new Set(names).size).toBe(70);
  });

  it('the list of runners has no link when all is on one page, and is empty beyond the last one', async () => {
    const stage = new HostStage();
    stage.register(30);

    expect((await stage.ask(`GET ${runners}`)).headers.link).toBeUndefined();
    expect((await stage.ask(`GET ${runners}?page=7`)).body).toEqual({ total_count: 30, runners: [] });
  });

  it('shows id, name, status, busy, group and labels with their type', async () => {
    const stage = new HostStage();
    const group = stage.host.addGroup('builders');
    stage.register(1, 'i-', ['instance_id:i-1'], group);

    const { body } = await stage.ask(`GET ${runners}`);

    expect(body.runners).toEqual([
      {
        id: 1,
        name: 'i-1',
        os: 'Linux',
        status: 'offline',
        busy: false,
        runner_group_id: group,
        ephemeral: false,
        version: null,
        labels: [
          { id: 1, name: 'self-hosted', type: 'read-only' },
          { id: 2, name: 'Linux', type: 'read-only' },
          { id: 3, name: 'X64', type: 'read-only' },
          { id: 4, name: 'instance_id:i-1', type: 'custom' },
        ],
      },
    ]);
    expect((await stage.ask(`GET ${runners}/1`)).body).toEqual(body.runners[0]);
  });

  it('finds a runner by its name', async () => {
    const stage = new HostStage();
    stage.register(120);

    const found = await stage.ask(`GET ${runners}?name=runner-115`);
    const absent = await stage.ask(`GET ${runners}?name=runner-1150`);

    expect(found.body.runners.map((runner: { id: number }) => runner.id)).toEqual([115]);
    expect(absent.body).toEqual({ total_count: 0, runners: [] });
  });

  it('runners of a group can be listed; an unknown group is not found', async () => {
    const stage = new HostStage();
    const group = stage.host.addGroup('builders');
    stage.register(2);
    stage.register(3, 'b-', [], group);

    const groups = await stage.ask(`GET /orgs/${org}/actions/runner-groups?per_page=1&page=2`);
    const members = await stage.ask(`GET /orgs/${org}/actions/runner-groups/${group}/runners?per_page=2`);

    expect(groups.body).toMatchObject({
      total_count: 2,
      runner_groups: [{ id: group, name: 'builders', default: false }],
    });
    expect(members.body.total_count).toBe(3);
    expect(members.body.runners.map((runner: { name: string }) => runner.name)).toEqual(['b-1', 'b-2']);
    expect((await stage.ask(`GET /orgs/${org}/actions/runner-groups/99/runners`)).status).toBe(404);
  });

  it('a page of runners is rendered again only when one of its runners has changed', async () => {
    const stage = new HostStage();
    const [firstId] = stage.register(250);
    const page = (number: number) =>
      stage.host.pages.page({ level: org, groupId: undefined, page: number, perPage: 100 });
    const before = [page(1), page(2)] as const;

    stage.connect(firstId!);

    expect(page(1).tag).not.toBe(before[0].tag);
    expect(page(2).text).toBe(before[1].text);
    expect(page(2).tag).toBe(before[1].tag);
  });

  it('follows the organisation as its runners come and go', async () => {
    const stage = new HostStage();
    const [first] = stage.register(101);
    const second = () => stage.ask(`GET ${runners}?per_page=100&page=2`);
    expect((await second()).body.runners).toHaveLength(1);

    await stage.ask(`DELETE ${runners}/${first}`);

    expect((await second()).body).toEqual({ total_count: 100, runners: [] });
  });
});

describe('a runner', () => {
  it('a runner is removed by DELETE once; then it is not found', async () => {
    const stage = new HostStage();
    const [id] = stage.register(1);

    expect((await stage.ask(`DELETE ${runners}/${id}`)).status).toBe(204);
    expect((await stage.ask(`DELETE ${runners}/${id}`)).status).toBe(404);
    expect((await stage.ask(`GET ${runners}/${id}`)).body.message).toBe('Not Found');
    expect((await stage.ask(`GET ${runners}/all`)).status).toBe(404);
  });

  it('[rule 21] a runner is removed after 14 days offline, counted from when its connection was lost', async () => {
    const stage = new HostStage();
    const [parked, worked] = stage.register(2);
    const listener = stage.connect(worked!);

    await stage.clock.advance(5 * 24 * hours);
    listener.connection.close();
    await stage.clock.advance(8.9 * 24 * hours);
    expect(stage.host.registry.runners.map(({ id }) => id)).toEqual([parked, worked]);
    await stage.clock.advance(0.2 * 24 * hours);
    expect(stage.host.registry.runners.map(({ id }) => id)).toEqual([worked]);
    await stage.clock.advance(5 * 24 * hours);

    expect(stage.host.registry.runners).toEqual([]);
  });

  it('goes offline a minute after it vanished, and at once when it says goodbye', async () => {
    const stage = new HostStage();
    const [silent, polite] = stage.register(2);
    const listeners = [stage.connect(silent!), stage.connect(polite!)];

    listeners[0]!.connection.vanish();
    listeners[1]!.connection.close();
    await stage.clock.advance(5_000);
    expect(await statuses(stage)).toEqual(['online', 'offline']);
    await stage.clock.advance(1 * minutes);

    expect(await statuses(stage)).toEqual(['offline', 'offline']);
  });

  it('a runner has one connection: the next one is refused until GitHub has noticed that the first is gone', async () => {
    const stage = new HostStage();
    const [id] = stage.register(1);
    const session = { deliver: () => {}, revoked: () => {} };
    stage.connect(id!).connection.vanish();

    expect(stage.host.registry.connect(id!, session)).toBe('session-exists');
    await stage.clock.advance(1 * minutes);

    expect(stage.host.registry.connect(id!, session)).toBeTypeOf('object');
  });

  it('learns at its next poll that it was removed, and cannot come back', async () => {
    const stage = new HostStage();
    const [id] = stage.register(1);
    const listener = stage.connect(id!);

    await stage.ask(`DELETE ${runners}/${id}`);
    expect(listener.told).toEqual([]);
    await stage.clock.advance(50_000);

    expect(listener.told).toEqual(['revoked']);
    expect(stage.host.registry.connect(id!, listener)).toBe('unknown-runner');
  });
});

describe('registration', () => {
  const configure = (stage: HostStage, token: string, body: object) =>
    stage.ask('POST /actions/runners/register', {
      authorization: `RemoteAuth ${token}`,
      body: { url: `https://github.com/${org}`, group_id: 1, labels: [{ name: 'Linux', type: 'system' }], ...body },
    });
  const labelled = (name: string) => [
    { name: 'Linux', type: 'system' },
    { name, type: 'user' },
  ];
  const mint = async (stage: HostStage, kind = 'registration') =>
    (await stage.ask(`POST ${runners}/${kind}-token`)).body;

  it('[rule 21] takes a token again and again for one hour, then no more', async () => {
    const stage = new HostStage();
    const { token, expires_at } = await mint(stage);
    expect(Date.parse(expires_at) - stage.clock.now()).toBe(1 * hours);

    await stage.clock.advance(59 * minutes);
    expect((await configure(stage, token, { name: 'a' })).status).toBe(200);
    expect((await configure(stage, token, { name: 'b' })).status).toBe(200);
    await stage.clock.advance(1 * minutes);

    const expired = await configure(stage, token, { name: 'c' });
    expect(expired).toMatchObject({ status: 404, body: { message: 'Not Found' } });
  });

  it('registering a runner is refused with a remove token and with an unknown token', async () => {
    const stage = new HostStage();
    const { token } = await mint(stage, 'remove');

    expect((await configure(stage, token, { name: 'a' })).status).toBe(404);
    expect((await configure(stage, 'made-up', { name: 'a' })).status).toBe(404);
  });

  it('refuses a name that is taken unless it may replace; then id and group stay as they were', async () => {
    const stage = new HostStage();
    stage.host.addGroup('builders');
    const { token } = await mint(stage);
    await configure(stage, token, { name: 'a', labels: labelled('old'), group_id: 2 });

    const refused = await configure(stage, token, { name: 'a', labels: labelled('new') });
    const replaced = await configure(stage, token, {
      name: 'a',
      labels: labelled('new'),
      runner_id: 1,
      replace: true,
    });

    expect(refused.status).toBe(409);
    expect(replaced.body).toMatchObject({ id: 1, name: 'a' });
    const { body } = await stage.ask(`GET ${runners}`);
    expect(body.runners).toMatchObject([{ id: 1, runner_group_id: 2, labels: [{}, {}, {}, { name: 'new' }] }]);
  });

  it('gives a runner up with a remove token', async () => {
    const stage = new HostStage();
    const [id] = stage.register(1);
    const { token } = await mint(stage, 'remove');

    await stage.ask(`DELETE ${runners}/${id}`, { authorization: `RemoteAuth ${token}` });

    expect(stage.host.registry.runners).toEqual([]);
  });

  it('refuses a group that does not exist', async () => {
    const stage = new HostStage();
    const { token } = await mint(stage);

    expect((await configure(stage, token, { name: 'a', group_id: 99 })).status).toBe(404);
  });

  it('counts against a limit of its own', async () => {
    const stage = new HostStage({ registrationsPerHour: 1 });
    const { token } = await mint(stage);

    const connect = () =>
      stage.ask('POST /actions/runner-registration', {
        authorization: `RemoteAuth ${token}`,
        body: { url: `https://github.com/${org}`, runner_event: 'register' },
      });
    const first = await connect();
    const second = await connect();

    expect(first.headers['x-ratelimit-resource']).toBe('actions_runner_registration');
    expect([403, 429]).toContain(second.status);
    expect(stage.host.limits.used('user ID 1')).toBe(1);
    expect((await mint(stage)).token).toBeTypeOf('string');
  });
});

const statuses = async (stage: HostStage) =>
  (await stage.ask(`GET ${runners}`)).body.runners.map((runner: { status: string }) => runner.status);

/** The query of each link by its relation. */
const rels = (link: string | undefined) =>
  Object.fromEntries(
    [...(link ?? '').matchAll(/<[^?]+\?([^>]+)>; rel="(\w+)"/g)].map(([, query, rel]) => [rel, query] as const),
  );
