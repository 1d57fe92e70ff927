import { describe, expect, it } from 'vitest';
import { HostStage, hours, minutes, org } from '../code-host.test-support.ts';

const runners = `GET /orgs/${org}/actions/runners`;
const registrationToken = `POST /orgs/${org}/actions/runners/registration-token`;
const used = (stage: HostStage) => stage.host.limits.used('user ID 1');

describe('ETags', () => {
  it('[rule 20] give a 304 that does not count and still shows the budget', async () => {
    const stage = new HostStage();
    stage.register(3);
    const { etag } = (await stage.ask(runners)).headers;
    expect(etag).toMatch(/^W\/"[0-9a-f]{64}"$/);

    const again = await stage.ask(runners, { headers: { 'if-none-match': etag! } });

    expect(again).toMatchObject({ status: 304, body: undefined });
    expect(again.headers).toMatchObject({ etag, 'x-ratelimit-remaining': '4999', 'x-ratelimit-used': '1' });
    expect(used(stage)).toBe(1);
    expect(stage.host.countedRequests).toBe(1);
  });

  it('[rule 20] differ by token, so a new token makes all of them void', async () => {
    const stage = new HostStage();
    const app = stage.installApp();
    const mint = async () =>
      `token ${(await stage.ask(`POST ${app.tokensPath}`, { authorization: app.jwt() })).body.token}`;
    const [first, second] = [await mint(), await mint()];
    const { etag } = (await stage.ask(runners, { authorization: first })).headers;

    const headers = { 'if-none-match': etag! };
    expect((await stage.ask(runners, { authorization: first, headers })).status).toBe(304);
    expect((await stage.ask(runners, { authorization: second, headers })).status).toBe(200);
    expect(stage.host.limits.used('installation ID 77')).toBe(2);
  });

  it('change with what a page shows, also when time alone changes it', async () => {
    const stage = new HostStage({ busyFlag: { mostLagMs: 30_000, flipChance: 0 } });
    const [id] = stage.register(1);
    const etag = async () => (await stage.ask(runners)).headers.etag;
    const offline = await etag();
    const listener = stage.connect(id!);
    const online = await etag();
    stage.host.registry.queue.enqueue({ durationMs: 10 * minutes });
    await stage.clock.advance(30_000);
    const busy = await etag();

    expect(new Set([offline, online, busy]).size).toBe(3);
    listener.connection.run(listener.jobs[0]!).complete();
    await stage.clock.advance(30_000);
    expect(await etag()).toBe(online);
  });

  it('ETags of other pages stay when one runner changes', async () => {
    const stage = new HostStage();
    const [first] = stage.register(200);
    const etags = async () =>
      [await stage.ask(`${runners}?per_page=100`), await stage.ask(`${runners}?per_page=100&page=2`)].map(
        ({ headers }) => headers.etag,
      );
    const before = await etags();

    stage.connect(first!);

    const after = await etags();
    expect([after[0] === before[0], after[1] === before[1]]).toEqual([false, true]);
  });

  it('ETags are compared weakly and in lists; a write has none', async () => {
    const stage = new HostStage();
    const { etag } = (await stage.ask(runners)).headers;
    const ask = async (tag: string) => (await stage.ask(runners, { headers: { 'if-none-match': tag } })).status;

    expect(await ask(etag!.replace('W/', ''))).toBe(304);
    expect(await ask(`"other", ${etag}`)).toBe(304);
    expect(await ask('"other"')).toBe(200);
    expect((await stage.ask(registrationToken)).headers.etag).toBeUndefined();
  });
});

describe('the primary limit', () => {
  it('[rule 20] refuses what comes after it with remaining 0, until its hour is over', async () => {
    const stage = new HostStage({ perHour: 3 });
    const statuses: number[] = [];
    for (let count = 0; count < 6; count++) statuses.push((await stage.ask(runners)).status);

    const refused = await stage.ask(runners);

    expect(statuses.slice(0, 3)).toEqual([200, 200, 200]);
    for (const status of statuses.slice(3)) expect([403, 429]).toContain(status);
    expect(refused.body.message).toBe('API rate limit exceeded for user ID 1.');
    expect(refused.headers).toMatchObject({ 'x-ratelimit-remaining': '0', 'x-ratelimit-used': '3' });
    expect(refused.headers['retry-after']).toBeUndefined();
    expect(used(stage)).toBe(3);
    await stage.clock.advanceTo(Number(refused.headers['x-ratelimit-reset']) * 1000);
    expect((await stage.ask(runners)).headers['x-ratelimit-remaining']).toBe('2');
  });

  it('returns 403 to some and 429 to others', async () => {
    const stage = new HostStage({ perHour: 0 });
    const seen = new Set<number>();
    for (let count = 0; count < 40; count++) seen.add((await stage.ask(runners)).status);

    expect([...seen].sort()).toEqual([403, 429]);
  });

  it('the primary limit is 5,000 requests an hour for each account', async () => {
    const stage = new HostStage();
    stage.host.credentials.addToken('ghp_2', { account: 'user ID 2', org, mayManageRunners: true });

    await stage.ask(runners);
    const other = await stage.ask(runners, { authorization: 'token ghp_2' });

    expect(other.headers).toMatchObject({ 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '4999' });
  });

  it('GET /rate_limit returns the primary limit, costs nothing and works when everything else is refused', async () => {
    const stage = new HostStage();
    await stage.ask(runners);
    stage.host.limits.exhaustUntil(stage.clock.now() + 2 * hours);

    const { status, body } = await stage.ask('GET /rate_limit');

    expect(status).toBe(200);
    expect(body.resources.core).toMatchObject({ limit: 5000, remaining: 0, used: 5000 });
    expect(body.resources.core.reset * 1000).toBe(stage.clock.now() + 2 * hours);
    expect([403, 429]).toContain((await stage.ask(runners)).status);
    await stage.clock.advance(2 * hours);
    expect((await stage.ask(runners)).status).toBe(200);
    expect(used(stage)).toBe(1);
  });
});

describe('the secondary limits', () => {
  it('[rule 20] ask for a pause when a minute’s points are spent: a read costs 1, a write 5', async () => {
    const stage = new HostStage({ pointsPerMinute: 12 });
    await stage.ask(registrationToken);
    await stage.ask(registrationToken);
    await stage.ask(runners);
    await stage.ask(runners);

    const refused = await stage.ask(runners);

    expect([403, 429]).toContain(refused.status);
    expect(refused.body.message).toMatch(/^You have exceeded a secondary rate limit/);
    expect(refused.headers['retry-after']).toBe('60');
    expect(Number(refused.headers['x-ratelimit-remaining'])).toBe(4996);
    await stage.clock.advance(60_000);
    expect((await stage.ask(runners)).status).toBe(200);
  });

  it('let 100 requests be under way at the same time', async () => {
    const stage = new HostStage();
    stage.engine.faults.add({ service: 'platform', operation: /GET .*/, effect: { kind: 'slow', ms: 5_000 } });

    const asked = Array.from({ length: 120 }, () => stage.ask(runners));
    await stage.clock.advance(5_000);
    const statuses = (await Promise.all(asked)).map(({ status }) => status);

    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    stage.engine.faults.clear();
    expect((await stage.ask(runners)).status).toBe(200);
  });

  it('forget requests that will never get a response', async () => {
    const stage = new HostStage({ concurrent: 1 });
    const disarm = stage.engine.faults.add({ service: 'platform', effect: { kind: 'timeout' } });
    void stage.ask(runners);
    await stage.clock.settle();
    disarm();

    expect((await stage.ask(runners)).status).toBe(200);
  });

  it('secondary limits can count requests that create content', async () => {
    const stage = new HostStage({ contentCreation: { perMinute: 2, perHour: 3 } });
    const create = async () => (await stage.ask(registrationToken)).status === 201;

    expect([await create(), await create(), await create()]).toEqual([true, true, false]);
    await stage.clock.advance(1 * minutes);
    expect(await create()).toBe(false); // the refused one counted as well: the hour is full
    await stage.clock.advance(1 * hours);
    expect(await create()).toBe(true);
  });
});
