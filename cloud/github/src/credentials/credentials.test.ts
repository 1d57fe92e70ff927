import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { HostStage, hours, minutes, org } from '../code-host.test-support.ts';

const runners = `GET /orgs/${org}/actions/runners`;
const registrationToken = `POST /orgs/${org}/actions/runners/registration-token`;

describe('a personal token', () => {
  it('an unknown or revoked token is refused with 401 "Bad credentials"', async () => {
    const stage = new HostStage();
    const wrong = await stage.ask(runners, { authorization: 'token ghp_wrong' });
    stage.host.credentials.revokeToken(stage.token);
    const revoked = await stage.ask(runners);

    for (const answer of [wrong, revoked]) {
      expect(answer).toMatchObject({ status: 401, body: { message: 'Bad credentials', status: '401' } });
      expect(answer.body.documentation_url).toBe('https://docs.github.com/rest');
      expect(answer.headers['x-ratelimit-remaining']).toBeUndefined();
    }
  });

  it('a request without a token is refused with 401 "Requires authentication"', async () => {
    const answer = await new HostStage().ask(runners, { authorization: null });

    expect(answer).toMatchObject({ status: 401, body: { message: 'Requires authentication' } });
    expect(answer.body.documentation_url).toContain('#list-self-hosted-runners-for-an-organization');
  });

  it('a token is accepted as `token` and as `Bearer`', async () => {
    const stage = new HostStage();

    expect((await stage.ask(runners, { authorization: `Bearer ${stage.token}` })).status).toBe(200);
    expect((await stage.ask(runners, { authorization: `token ${stage.token}` })).status).toBe(200);
  });

  it('a personal token without the scope gets 403, and headers that say which scopes it has and which it needs', async () => {
    const stage = new HostStage();
    stage.host.credentials.addToken('ghp_weak', { account: 'user ID 2', org, mayManageRunners: false });

    const answer = await stage.ask(runners, { authorization: 'token ghp_weak' });

    expect(answer).toMatchObject({ status: 403, body: { message: 'Must have admin rights to Repository.' } });
    expect(answer.headers).toMatchObject({ 'x-oauth-scopes': 'read:org', 'x-accepted-oauth-scopes': 'admin:org' });
    expect(stage.host.limits.used('user ID 2')).toBe(1);
  });

  it('a personal token that expires says so on each response, and is refused from then on', async () => {
    const stage = new HostStage();
    const expiresAt = stage.clock.now() + 60_000;
    const credential = { account: 'user ID 2', org, mayManageRunners: true } as const;
    stage.host.credentials.addToken('ghp_brief', { ...credential, expiresAt });
    stage.host.credentials.addToken('ghp_lasting', credential);
    const expiryOf = async (token: string) =>
      (await stage.ask(runners, { authorization: `token ${token}` })).headers['github-authentication-token-expiration'];

    const said = await expiryOf('ghp_brief');
    expect(said).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC$/);
    expect(Date.parse(said!)).toBe(Math.floor(expiresAt / 1000) * 1000);
    expect(await expiryOf('ghp_lasting')).toBeUndefined();
    await stage.clock.advance(61_000);
    expect((await stage.ask(runners, { authorization: 'token ghp_brief' })).status).toBe(401);
  });

  it('a fine-grained token gets x-accepted-github-permissions instead of scopes', async () => {
    const stage = new HostStage();
    stage.host.credentials.addToken('github_pat_a', { account: 'user ID 2', org, mayManageRunners: 'read' });
    const authorization = 'token github_pat_a';

    expect((await stage.ask(runners, { authorization })).status).toBe(200);
    const answer = await stage.ask(registrationToken, { authorization });

    expect(answer).toMatchObject({
      status: 403,
      body: { message: 'Resource not accessible by personal access token' },
    });
    expect(answer.headers['x-accepted-github-permissions']).toBe('organization_self_hosted_runners=write');
    expect(answer.headers['x-oauth-scopes']).toBeUndefined();
  });

  it('a personal token of another organisation gets 404, and so do paths of other organisations', async () => {
    const stage = new HostStage();
    stage.host.credentials.addToken('ghp_other', { account: 'user ID 3', org: 'other-org', mayManageRunners: true });

    expect((await stage.ask(runners, { authorization: 'token ghp_other' })).status).toBe(404);
    expect((await stage.ask('GET /orgs/other-org/actions/runners')).status).toBe(404);
    expect((await stage.ask(runners.replace(org, org.toUpperCase()))).status).toBe(200);
  });

  it('a token can expire', async () => {
    const stage = new HostStage();
    const expiresAt = stage.clock.now() + 1 * hours;
    stage.host.credentials.addToken('ghp_short', { account: 'user ID 4', org, mayManageRunners: true, expiresAt });

    await stage.clock.advance(1 * hours);

    expect((await stage.ask(runners, { authorization: 'token ghp_short' })).status).toBe(401);
  });
});

describe('an app', () => {
  it('buys an installation token with its JWT; the token works for an hour', async () => {
    const stage = new HostStage();
    const app = stage.installApp();

    const found = await stage.ask(`GET /orgs/${org}/installation`, { authorization: app.jwt() });
    const minted = await stage.ask(`POST ${app.tokensPath}`, { authorization: app.jwt() });

    expect(found.body).toMatchObject({ id: 77, app_id: 4711, app_slug: 'fleet-app', suspended_at: null });
    expect(minted.status).toBe(201);
    expect(Date.parse(minted.body.expires_at) - stage.clock.now()).toBe(1 * hours);
    expect(minted.body.permissions).toMatchObject({ organization_self_hosted_runners: 'write' });
    const authorization = `token ${minted.body.token}`;
    const used = await stage.ask(runners, { authorization });
    expect(used.headers['x-accepted-github-permissions']).toBe('organization_self_hosted_runners=read');
    expect(stage.host.limits.used('installation ID 77')).toBe(1);
    await stage.clock.advance(1 * hours);
    expect((await stage.ask(runners, { authorization })).body.message).toBe('Bad credentials');
  });

  const seconds = () => Math.floor(new HostStage().clock.now() / 1000);
  const badClaims: [string, Record<string, unknown>, number, RegExp][] = [
    ['expires more than ten minutes ahead', { exp: seconds() + 601 }, 401, /too far in the future/],
    ['has expired', { exp: seconds() }, 401, /must be a numeric value representing the future time/],
    ['was issued in the future, by a clock that is fast', { iat: seconds() + 1 }, 401, /'Issued at' claim/],
    ['says its times in words', { iat: 'now' }, 401, /'Issued at' claim/],
    ['names no app that exists', { iss: '1' }, 404, /Integration not found/],
  ];

  it.each(badClaims)('an app is refused when its JWT %s', async (_what, claims, status, message) => {
    const stage = new HostStage();
    const app = stage.installApp();

    const answer = await stage.ask('GET /app/installations', { authorization: app.jwt(claims) });

    expect(answer.status).toBe(status);
    expect(answer.body.message).toMatch(message);
  });

  it('an app is refused when its JWT is signed with another key or in another way, or is not a JWT', async () => {
    const stage = new HostStage();
    const app = stage.installApp();
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const unsigned = app.jwt({}, 'HS256');

    for (const authorization of [unsigned, 'Bearer nonsense', `token ${stage.token}`]) {
      const answer = await stage.ask('GET /app/installations', { authorization });
      expect(answer).toMatchObject({ status: 401, body: { message: 'A JSON web token could not be decoded' } });
    }
    stage.host.credentials.install({ ...app.installation, publicKey: pem });
    expect((await stage.ask('GET /app/installations', { authorization: app.jwt() })).status).toBe(401);
  });

  it('[rule 20] gets no second token for an identical JWT, but for one that differs only in its jti', async () => {
    const stage = new HostStage();
    const app = stage.installApp();
    const mint = (jti: number) => stage.ask(`POST ${app.tokensPath}`, { authorization: app.jwt({ jti }) });

    const answers = [await mint(1), await mint(1), await mint(2)];

    expect(answers.map(({ status }) => status)).toEqual([201, 404, 201]);
  });

  it('an app may read with a JWT that it has read with before', async () => {
    const stage = new HostStage();
    const authorization = stage.installApp().jwt();

    expect((await stage.ask('GET /app/installations', { authorization })).status).toBe(200);
    expect((await stage.ask(`GET /orgs/${org}/installation`, { authorization })).status).toBe(200);
  });

  it('a suspended installation gets no token, and the tokens it has stop working', async () => {
    const stage = new HostStage();
    const app = stage.installApp();
    const mint = () => stage.ask(`POST ${app.tokensPath}`, { authorization: app.jwt() });
    const authorization = `token ${(await mint()).body.token}`;

    stage.host.credentials.suspend(77);
    const refused = await mint();
    const used = await stage.ask(runners, { authorization });
    stage.host.credentials.unsuspend(77);

    for (const answer of [refused, used])
      expect(answer).toMatchObject({ status: 403, body: { message: 'This installation has been suspended' } });
    expect((await stage.ask(runners, { authorization })).status).toBe(200);
  });

  it('an app that was uninstalled has no installation and no token', async () => {
    const stage = new HostStage();
    const app = stage.installApp();
    const { body } = await stage.ask(`POST ${app.tokensPath}`, { authorization: app.jwt() });

    stage.host.credentials.uninstall(77);

    expect((await stage.ask(runners, { authorization: `token ${body.token}` })).status).toBe(401);
    expect((await stage.ask(`POST ${app.tokensPath}`, { authorization: app.jwt() })).status).toBe(404);
  });

  it('an app without the permission gets 403 "Resource not accessible by integration"', async () => {
    const stage = new HostStage();
    const app = stage.installApp({ mayManageRunners: false });
    const { body } = await stage.ask(`POST ${app.tokensPath}`, { authorization: app.jwt() });

    const answer = await stage.ask(runners, { authorization: `token ${body.token}` });

    expect(answer).toMatchObject({ status: 403, body: { message: 'Resource not accessible by integration' } });
  });

  it('an app that is installed on another organisation gets 404', async () => {
    const stage = new HostStage();
    const app = stage.installApp({ org: 'other-org' });
    const { body } = await stage.ask(`POST ${app.tokensPath}`, { authorization: app.jwt() });

    expect((await stage.ask(`GET /orgs/${org}/installation`, { authorization: app.jwt() })).status).toBe(404);
    expect((await stage.ask(runners, { authorization: `token ${body.token}` })).status).toBe(404);
  });

  it('cannot list what is installed on the organisation unless it may read its administration', async () => {
    const stage = new HostStage();
    const [plain, administrator] = [stage.installApp(), stage.installApp({ id: 78, mayReadAdministration: true })];
    const list = async (app: typeof plain) => {
      const { body } = await stage.ask(`POST ${app.tokensPath}`, { authorization: app.jwt() });
      return await stage.ask(`GET /orgs/${org}/installations`, { authorization: `token ${body.token}` });
    };
    stage.host.credentials.install({ ...plain.installation, appId: 4712 });

    expect((await list(administrator)).body).toMatchObject({
      total_count: 2,
      installations: [{ app_id: 4712 }, { app_id: 4711, app_slug: 'fleet-app' }],
    });
    expect((await stage.ask(`GET /orgs/${org}/installations`)).body.total_count).toBe(2);
    stage.host.credentials.install(plain.installation);
    expect((await list(plain)).status).toBe(403);
  });
});

describe('a request', () => {
  it('needs a User-Agent', async () => {
    const answer = await new HostStage().ask(runners, { headers: { 'user-agent': '' } });

    expect(answer.status).toBe(403);
    expect(answer.body.message).toContain('User-Agent');
  });

  it('a request may ask for the version of the API that is modelled, for no other', async () => {
    const ask = (version: string) => new HostStage().ask(runners, { headers: { 'x-github-api-version': version } });

    expect((await ask('2022-11-28')).headers['x-github-api-version-selected']).toBe('2022-11-28');
    expect((await ask('1999-01-01')).status).toBe(400);
  });

  it('every response has an id that no other has', async () => {
    const stage = new HostStage();
    const answers = [await stage.ask(runners), await stage.ask(runners)];

    expect(new Set(answers.map(({ headers }) => headers['x-github-request-id'])).size).toBe(2);
  });

  it.each([
    ['{"name"', 'Problems parsing JSON'],
    ['[1]', 'Body should be a JSON object'],
  ])('a request with the body %s gets the reason why it is refused', async (body, message) => {
    expect(await new HostStage().ask(registrationToken, { body })).toMatchObject({ status: 400, body: { message } });
  });

  it('a path with a trailing slash is 404, and what is not modelled is 501', async () => {
    const stage = new HostStage();
    const raw = async (path: string) => {
      const [method, target] = path.split(' ');
      const headers = { 'user-agent': 'test', authorization: `token ${stage.token}` };
      const request = {
        method: method!,
        host: 'api.github.com',
        path: target!,
        query: '',
        headers,
        body: new Uint8Array(0),
      };
      return (await stage.host.handle(request)).status;
    };

    expect(await raw(`${runners}/`)).toBe(404);
    expect(await raw('GET /api/v3/rate_limit')).toBe(404);
    expect(await raw(`GET /orgs/${org}/actions/runners/1/labels`)).toBe(501);
    expect(await raw(`PATCH /orgs/${org}/actions/runners/1`)).toBe(501);
  });

  it('a request is journalled by its route, without its token', async () => {
    const stage = new HostStage();
    await stage.ask(registrationToken);

    const text = JSON.stringify(stage.engine.journal.entries);
    expect(text).toContain('POST /orgs/{org}/actions/runners/registration-token');
    expect(text).not.toContain(stage.token);
  });
});

describe('an Enterprise Server', () => {
  const apiUrl = 'https://ghe.example.com/api/v3';

  it('serves its API below /api/v3, and pages for people elsewhere', async () => {
    const stage = new HostStage({ apiUrl });
    stage.register(101);

    const { body, headers } = await stage.ask(`${runners}?per_page=100`);
    const outside = await stage.host.handle({
      method: 'GET',
      host: 'ghe.example.com',
      path: '/rate_limit',
      query: '',
      headers: { 'user-agent': 'test' },
      body: new Uint8Array(0),
    });

    expect(body.total_count).toBe(101);
    expect(headers.link).toContain(`<${apiUrl}/organizations/${stage.host.orgId}/actions/runners?per_page=100&page=2>`);
    expect(outside.headers['content-type']).toContain('text/html');
  });

  it('an Enterprise Server has no rate limits unless they are turned on', async () => {
    const off = new HostStage({ apiUrl });
    const on = new HostStage({ apiUrl, perHour: 100 });

    expect((await off.ask(runners)).headers['x-ratelimit-limit']).toBeUndefined();
    expect(await off.ask('GET /rate_limit')).toMatchObject({
      status: 404,
      body: { message: 'Rate limiting is not enabled.' },
    });
    expect((await on.ask(runners)).headers['x-ratelimit-limit']).toBe('100');
    await off.clock.advance(1 * minutes);
    for (let count = 0; count < 1_000; count++) expect((await off.ask(runners)).status).toBe(200);
  });
});

describe('levels', () => {
  const enterprise = 'GET /enterprises/example-enterprise/actions/runners';

  it('a runner belongs to one level: it is listed, found and removed there alone', async () => {
    const stage = new HostStage();
    const [id] = stage.register(1, 'of-app-', ['fleet'], 1, `${org}/app`);

    const lists = [
      `GET /repos/${org}/app/actions/runners`,
      `GET /repos/${org}/shop/actions/runners`,
      runners,
      enterprise,
    ];
    const totals = [];
    for (const list of lists) totals.push((await stage.ask(list)).body.total_count);

    expect(totals).toEqual([1, 0, 0, 0]);
    expect((await stage.ask(`${runners}?name=of-app-1`)).body.total_count).toBe(0);
    expect((await stage.ask(`DELETE /orgs/${org}/actions/runners/${id}`)).status).toBe(404);
    expect((await stage.ask(`DELETE /repos/${org}/app/actions/runners/${id}`)).status).toBe(204);
  });

  it('a registration token is good at the page of its own level only', async () => {
    const stage = new HostStage();
    const { body } = await stage.ask(`POST /repos/${org}/app/actions/runners/registration-token`);
    const register = (url: string) =>
      stage.ask('POST /actions/runner-registration', {
        authorization: `RemoteAuth ${body.token}`,
        body: { url, runner_event: 'register' },
      });

    expect((await register(`https://github.com/${org}`)).status).toBe(404);
    expect((await register(`https://github.com/${org}/app`)).status).toBe(200);
  });

  it('an app needs the permission Administration for runners of a repository, and has no way to those of an enterprise', async () => {
    const stage = new HostStage();
    const ofRepository = `GET /repos/${org}/app/actions/runners`;
    const tokenOf = async (options: object) => {
      const app = stage.installApp(options);
      return `token ${(await stage.ask(`POST ${app.tokensPath}`, { authorization: app.jwt() })).body.token}`;
    };
    const usual = await tokenOf({});
    const refused = await stage.ask(ofRepository, { authorization: usual });
    const authorization = await tokenOf({ mayAdministerRepositories: true });

    expect(refused).toMatchObject({ status: 403, headers: { 'x-accepted-github-permissions': 'administration=read' } });
    expect((await stage.ask(ofRepository, { authorization })).status).toBe(200);
    expect((await stage.ask(enterprise, { authorization })).status).toBe(403);
  });

  it('runners of an enterprise need a classic token, and another enterprise does not exist', async () => {
    const stage = new HostStage();
    stage.host.credentials.addToken('github_pat_1', { account: 'user ID 1', org, mayManageRunners: true });

    expect((await stage.ask(enterprise, { authorization: 'token github_pat_1' })).status).toBe(403);
    expect((await stage.ask(enterprise)).headers['x-accepted-oauth-scopes']).toBe('manage_runners:enterprise');
    expect((await stage.ask('GET /enterprises/other/actions/runners')).status).toBe(404);
  });
});
