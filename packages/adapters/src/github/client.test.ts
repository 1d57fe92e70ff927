import { asFetch } from '@drover/cloud-engine';
import { HostStage, hours, minutes, org } from '@drover/cloud-github/testing';
import { type DroverError, describeError, Secret, TerminalError, TransientError } from '@drover/core';
import type { PlatformLevel } from '@drover/core/names/platform-level';
import { describe, expect, it } from 'vitest';
import { PlatformClient, PlatformStatusError } from './client.ts';
import { type PlatformCredentials, tokenCredentials } from './credentials.ts';
import { list, number, object } from './reading.ts';

const runners = 'GET /{level}/actions/runners';
const asked = `GET /orgs/${org}/actions/runners`;
const shape = object({ total_count: number, runners: list(object({ id: number })) });

const clientOf = (
  stage: HostStage,
  more: { credentials?: PlatformCredentials; level?: PlatformLevel; apiUrl?: string; fetch?: typeof fetch } = {},
) =>
  new PlatformClient({
    apiUrl: stage.host.apiUrl,
    level: { kind: 'org', name: org },
    clock: stage.clock,
    fetch: stage.fetch,
    credentials: personal(stage.token),
    ...more,
  });

const personal = (token: string) => tokenCredentials(async () => new Secret(token));

/** The error of a call, while time passes as far as it needs. */
async function failure(stage: HostStage, client: PlatformClient, route = runners): Promise<DroverError> {
  const outcome = client.call(route, shape).then(
    () => undefined,
    (error: unknown) => error as DroverError,
  );
  await stage.clock.advance(15_000);
  const error = await outcome;
  if (error === undefined) throw new Error('the call went through');
  return error;
}

describe('a refusal', () => {
  it('a refused token is an error that says where the credentials are kept', async () => {
    const stage = new HostStage();
    const error = await failure(stage, clientOf(stage, { credentials: personal('ghp_wrong') }));

    expect(error).toBeInstanceOf(PlatformStatusError);
    expect(error).toMatchObject({ status: 401, reason: 'bad-credentials' });
    expect(error.message).toContain(`${asked} returned 401: Bad credentials`);
    expect(error.remedy).toContain('in the configured secret');
  });

  it('a token without the scope is an error that names what it has and what it needs', async () => {
    const stage = new HostStage();
    stage.host.credentials.addToken('ghp_weak', { account: 'user ID 2', org, mayManageRunners: false });

    const error = await failure(stage, clientOf(stage, { credentials: personal('ghp_weak') }));

    expect(error).toMatchObject({ status: 403, reason: 'missing-right' });
    expect(error.remedy).toContain('(the token has: read:org; wanted: admin:org)');
  });

  it('an app without the permission is an error that names the permission', async () => {
    const stage = new HostStage();
    const app = stage.installApp({ mayManageRunners: false });
    const { body } = await stage.ask(`POST ${app.tokensPath}`, { authorization: app.jwt() });

    const error = await failure(stage, clientOf(stage, { credentials: personal(body.token) }));

    expect(error).toMatchObject({ status: 403, reason: 'missing-right' });
    expect(error.message).toContain('Resource not accessible by integration');
    expect(error.remedy).toContain('wanted: organization_self_hosted_runners=read');
  });

  it('a suspended app is an error that says who can unsuspend it', async () => {
    const stage = new HostStage();
    const app = stage.installApp();
    const { body } = await stage.ask(`POST ${app.tokensPath}`, { authorization: app.jwt() });
    stage.host.credentials.suspend(77);

    const error = await failure(stage, clientOf(stage, { credentials: personal(body.token) }));

    expect(error).toMatchObject({ reason: 'suspended', remedy: expect.stringContaining(`owner of ${org}`) });
  });

  it('an organisation that cannot be seen is an error that names it as it was spelt', async () => {
    const stage = new HostStage();
    const error = await failure(stage, clientOf(stage, { level: { kind: 'org', name: 'exmple-org' } }));

    expect(error).toMatchObject({ status: 404, reason: 'not-found' });
    expect(error.remedy).toContain('platform_org "exmple-org"');
  });

  it('a refusal by single sign-on or by an IP allow list says so', async () => {
    const stage = new HostStage();
    const answering = (message: string, headers: Record<string, string>) =>
      clientOf(stage, {
        fetch: async () =>
          new Response(JSON.stringify({ message }), {
            status: 403,
            headers: { 'content-type': 'application/json', ...headers },
          }),
      });

    const sso = await failure(
      stage,
      answering('Resource protected by organization SAML', { 'x-github-sso': 'required' }),
    );
    const list = await failure(stage, answering('the org has an IP allow list enabled', {}));

    expect([sso, list]).toMatchObject([{ reason: 'single-sign-on' }, { reason: 'address-not-allowed' }]);
  });

  it('a refusal never shows the token', async () => {
    const stage = new HostStage();
    stage.engine.faults.add({ service: 'platform', effect: { kind: 'error', status: 403 } });
    const error = await failure(stage, clientOf(stage));

    const everything = `${describeError(error)} ${error.remedy} ${error.stack} ${JSON.stringify(error)}`;
    expect(everything).not.toContain(stage.token);
  });
});

describe('credentials that are refused', () => {
  it('refused credentials are read again once: the token was replaced in its secret', async () => {
    const stage = new HostStage();
    let stored = 'ghp_old';
    let reads = 0;
    const credentials = tokenCredentials(async () => {
      reads += 1;
      return new Secret(stored);
    });
    const client = clientOf(stage, { credentials });
    stored = stage.token;

    await client.call(runners, shape);
    await client.call(runners, shape);

    expect(reads).toBe(1);
    stage.host.credentials.revokeToken(stage.token);
    stage.host.credentials.addToken('ghp_new', { account: 'user ID 1', org, mayManageRunners: true });
    stored = 'ghp_new';
    expect((await client.call(runners, shape)).status).toBe(200);
    expect(reads).toBe(2);
  });

  it('refused credentials are not tried again when they are the same', async () => {
    const stage = new HostStage();
    await failure(stage, clientOf(stage, { credentials: personal('ghp_wrong') }));

    expect(stage.engine.journal.entries.filter(({ kind }) => kind === 'request')).toHaveLength(1);
  });

  it('credentials that cannot be read are read again at the next call', async () => {
    const stage = new HostStage();
    let broken = true;
    const credentials = tokenCredentials(async () => {
      if (broken) throw new TransientError('the secret store is away');
      return new Secret(stage.token);
    });
    const client = clientOf(stage, { credentials });
    await expect(client.call(runners, shape)).rejects.toThrow('the secret store is away');
    broken = false;

    expect((await client.call(runners, shape)).status).toBe(200);
  });
});

describe('a limit', () => {
  it('a rate limit that is used up is a transient error until its hour ends', async () => {
    const stage = new HostStage();
    stage.host.limits.exhaustUntil(stage.clock.now() + 40 * minutes);

    const error = await clientOf(stage)
      .call(runners, shape)
      .catch((caught: TransientError) => caught);

    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ retryAfterMs: 1 * hours }); // the hour of this account ends later than the pause
    expect((error as TransientError).message).toContain('(primary rate limit)');
  });

  it('a pause is kept: until it is over only the request for the rate limit is sent', async () => {
    const stage = new HostStage({ pointsPerMinute: 1 });
    const client = clientOf(stage);
    await client.call(runners, shape);
    const limited = await client.call(runners, shape).catch((caught: TransientError) => caught);
    expect(limited).toMatchObject({ retryAfterMs: 60_000, message: expect.stringContaining('(secondary rate limit)') });
    const sent = stage.engine.journal.length;

    const held = await client.call(runners, shape).catch((caught: TransientError) => caught);
    expect(held).toMatchObject({ retryAfterMs: 60_000, message: expect.stringContaining('was not sent') });
    expect(stage.engine.journal.length).toBe(sent);
    await stage.clock.advance(60_000);

    expect((await client.call(runners, shape)).status).toBe(200);
  });

  it('a limit that does not say how long it lasts asks for a minute', async () => {
    const stage = new HostStage();
    const body = JSON.stringify({ message: 'API rate limit exceeded' });
    const fetch = async () => new Response(body, { status: 403, headers: { 'content-type': 'application/json' } });

    const error = await clientOf(stage, { fetch })
      .call(runners, shape)
      .catch((caught: TransientError) => caught);

    expect(error).toMatchObject({ retryAfterMs: 60_000 });
  });

  it('the rate limit is read from every response, also from a 304 and from a refusal', async () => {
    const stage = new HostStage();
    const client = clientOf(stage);
    const first = await client.call(runners, shape);
    expect(client.last()).toEqual({
      limit: 5000,
      remaining: 4999,
      used: 1,
      resetAt: stage.clock.now() + 1 * hours,
      at: stage.clock.now(),
    });
    await stage.ask(`GET /orgs/${org}/actions/runners`);

    const again = await client.callIfChanged(runners, shape, { etag: first.etag! });

    expect(again.status).toBe(304);
    expect(client.last()).toMatchObject({ remaining: 4998 });
    await failure(stage, client, `${runners}/99`);
    expect(client.last()).toMatchObject({ remaining: 4997 });
  });

  it('the rate limit of another resource is not mistaken for the core limit', async () => {
    const stage = new HostStage();
    const headers = {
      'content-type': 'application/json',
      'x-ratelimit-remaining': '3',
      'x-ratelimit-reset': '1',
      'x-ratelimit-resource': 'search',
    };
    const client = clientOf(stage, {
      fetch: async () => new Response('{"total_count":0,"runners":[]}', { status: 200, headers }),
    });

    await client.call(runners, shape);

    expect(client.last()).toBeUndefined();
  });
});

describe('a platform that is away', () => {
  it('a platform that returns an error page is a transient failure, and the page is not poured into the log', async () => {
    const stage = new HostStage();
    stage.engine.faults.add({ service: 'platform', effect: { kind: 'error', status: 503 } });

    const error = await failure(stage, clientOf(stage));

    expect(error).toBeInstanceOf(TransientError);
    expect(error.message).toBe(`${asked} returned 503: an HTML page, "Unicorn!"`);
  });

  it('a platform that does not respond is given up after 10 seconds', async () => {
    const stage = new HostStage();
    stage.engine.faults.add({ service: 'platform', effect: { kind: 'timeout' } });

    const error = await failure(stage, clientOf(stage));

    expect(error).toBeInstanceOf(TransientError);
    expect(error.message).toContain('got no response from https://api.github.com: no response within 10 s');
    expect(error.remedy).toContain('NAT');
  });

  it('a platform that the network does not reach is reported with the reason', async () => {
    const stage = new HostStage();
    const refused = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
    const errors = [
      new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND api.github.com') }),
      new TypeError('fetch failed', { cause: refused }),
    ];
    const seen: string[] = [];
    for (const error of errors) {
      const fetch = () => Promise.reject(error);
      seen.push((await failure(stage, clientOf(stage, { fetch }))).message);
    }

    expect(seen[0]).toContain('getaddrinfo ENOTFOUND api.github.com');
    expect(seen[1]).toContain('ECONNREFUSED');
  });
});

describe('a response that is not what was documented', () => {
  const answers: [string, { body: string; type?: string }, typeof TerminalError | typeof TransientError, RegExp][] = [
    [
      'a page for people',
      { body: '<html>Sign in</html>', type: 'text/html' },
      TerminalError,
      /page for people.*Sign in/,
    ],
    [
      'JSON that was cut off',
      { body: '{"total_count": 2, "runn' },
      TransientError,
      /broken JSON that ends in ".*runn"/,
    ],
    ['nothing', { body: '' }, TransientError, /returned 200 without a body/],
    ['a missing field', { body: '{"runners":[]}' }, TerminalError, /but total_count is missing, not a number/],
    [
      'a wrong value deep inside',
      { body: '{"total_count":1,"runners":[{"id":1},{"id":"2"}]}' },
      TerminalError,
      /but runners\[1\]\.id is "2", not a number/,
    ],
    ['a list instead of an object', { body: 'null' }, TerminalError, /but the response is null, not an object/],
    ['an endless response', { body: ' '.repeat(9 * 1024 * 1024) }, TerminalError, /more than 8388608 bytes/],
  ];

  it.each(answers)('%s is an error that names the route and what was found', async (_what, answer, kind, message) => {
    const stage = new HostStage();
    const headers = { 'content-type': answer.type ?? 'application/json; charset=utf-8' };
    const fetch = async () => new Response(answer.body, { status: 200, headers });

    const error = await failure(stage, clientOf(stage, { fetch }));

    expect(error).toBeInstanceOf(kind);
    expect(error.message).toMatch(message);
    expect(error.message).toContain(asked);
  });

  it('comes from a wrong address: the remedy says what it should look like', async () => {
    const stage = new HostStage({ apiUrl: 'https://ghe.example.com/api/v3' });
    const raw = asFetch(stage.host.handle);

    const error = await failure(stage, clientOf(stage, { apiUrl: 'https://ghe.example.com', fetch: raw }));

    expect(error).toBeInstanceOf(TerminalError);
    expect(error.remedy).toContain('https://<host>/api/v3');
  });
});
