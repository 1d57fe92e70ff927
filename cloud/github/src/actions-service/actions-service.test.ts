import { VirtualClock } from '@drover/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { HostStage, minutes, org } from '../code-host.test-support.ts';
import { tokenForm } from '../runner-software/linux/token-client.ts';
import type { RunnerIdentity } from '../runner-software/ports.ts';
import { jobGuid } from './job-message.ts';
import { knownKey } from './runner-keys.ts';

let stage: HostStage;
let identity: RunnerIdentity;

beforeEach(() => {
  stage = new HostStage();
  const [id] = stage.register(1);
  const { clientId } = stage.host.registry.find(id!);
  identity = {
    agentId: id!,
    clientId,
    serviceUrl: `${stage.host.apiUrl}/actions/broker/`,
    authorizationUrl: `${stage.host.apiUrl}/actions/oauth2/token/${clientId}`,
    key: JSON.stringify(knownKey()),
    fips: true,
    version: '2.336.0',
    ephemeral: false,
  };
});

const send = async (method: string, url: string, body?: string, token?: string) => {
  const response = await stage.host.handle({
    method,
    host: new URL(url).host,
    path: new URL(url).pathname,
    query: new URL(url).search.slice(1),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    body: Buffer.from(body ?? ''),
  });
  const text = String(response.body);
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
};
const askToken = (change: Partial<RunnerIdentity> = {}, clock = stage.clock) =>
  send('POST', identity.authorizationUrl, tokenForm({ ...identity, ...change }, clock, stage.engine.random));
const post = (path: string, token: string, body: object) =>
  send('POST', `${stage.host.apiUrl}/actions/${path}`, JSON.stringify(body), token);

/** A listener with its token and its session. */
async function connected() {
  const token = (await askToken()).body.access_token as string;
  const agent = { id: identity.agentId, version: identity.version };
  const { body } = await post('broker/session', token, { agent });
  const poll = () =>
    send('GET', `${identity.serviceUrl}message?sessionId=${body.sessionId}&status=Online`, undefined, token);
  return { token, poll, sessionId: body.sessionId };
}

describe('tokens of runners', () => {
  it.each([true, false])('a runner gets a token for an assertion that its key has signed (FIPS: %s)', async (fips) => {
    expect(await askToken({ fips })).toMatchObject({ status: 200, body: { expires_in: 3600, token_type: 'Bearer' } });
  });

  it.each([
    ['of a registration that is deleted', 'invalid_client', () => askToken({ clientId: 'unknown' })],
    ['for another audience', 'invalid_grant', () => askToken({ authorizationUrl: 'https://example.com/token' })],
    ['from a clock that is ten minutes slow', 'invalid_grant', () => askToken({}, slow())],
  ])('a token is refused with 400 to a runner %s', async (_, error, ask) => {
    expect(await ask()).toMatchObject({ status: 400, body: { error } });
  });

  const slow = () => new VirtualClock(stage.clock.now() - 20 * minutes);

  it('a token is refused to a runner whose registration holds another key', async () => {
    const { token } = stage.host.registry.mintToken('registration');
    const modulus = Buffer.alloc(256, 0xff).toString('base64');
    const publicKey = { modulus, exponent: 'AQAB' };
    const { clientId } = stage.host.registry.register({ token, name: 'other', labels: [], publicKey });

    expect(await askToken({ clientId })).toMatchObject({ status: 400, body: { error: 'invalid_client' } });
  });

  it('a token that is unknown or an hour old is a 401', async () => {
    const { token } = await connected();
    const renew = () => post('run-service/renewjob', token, { jobId: jobGuid(1) });
    expect((await renew()).status).toBe(404);
    await stage.clock.advance(60 * minutes);

    expect([(await renew()).status, (await post('broker/session', 'made-up', {})).status]).toEqual([401, 401]);
  });
});

describe('the wire of the runner software', () => {
  it('a poll without news ends after 50 seconds, with no body', async () => {
    const { poll } = await connected();
    const answer = poll();
    await stage.clock.advance(50_000);

    expect(await answer).toEqual({ status: 202, body: undefined });
  });

  it('a listener that gives a poll up and sends another keeps its session, however long the second one waits', async () => {
    const { poll } = await connected();
    const replaced = poll();
    await stage.clock.advance(5_000);
    const second = poll();
    expect((await replaced).status).toBe(202);
    await stage.clock.advance(50_000);

    const third = poll();
    stage.host.registry.queue.enqueue({ durationMs: 1_000 });
    await stage.clock.advance(3_000);
    expect([(await second).status, (await third).status]).toEqual([202, 200]);
  });

  it('a job goes from its message to its completion, and runs from the first renewal on', async () => {
    const { token, poll } = await connected();
    const message = poll();
    const job = stage.host.registry.queue.enqueue({ durationMs: 1_000 });
    await stage.clock.advance(3_000);
    const { messageType, body } = (await message).body;
    const { runner_request_id: id, run_service_url: url } = JSON.parse(body);
    expect([messageType, url]).toEqual(['RunnerJobRequest', `${stage.host.apiUrl}/actions/run-service/`]);

    const acquired = (await post('run-service/acquirejob', token, { jobMessageId: id })).body;
    expect(acquired).toMatchObject({ jobDisplayName: 'job-1', jobId: id });
    expect(job.state).toBe('dispatched');
    const { AccessToken } = acquired.resources.endpoints[0].authorization.parameters;
    const renewed = await post('run-service/renewjob', AccessToken, { jobId: id });
    expect([renewed.status, job.state]).toEqual([200, 'running']);
    const stepResults = [{ name: '__run', conclusion: 'succeeded' }];
    await post('run-service/completejob', AccessToken, { jobId: id, conclusion: 'succeeded', stepResults });

    expect(job).toMatchObject({ state: 'completed', result: 'succeeded' });
  });

  it.each([
    ['RunnerNotFound', () => stage.host.registry.remove(1)],
    ['RunnerVersionTooOld', () => stage.host.registry.deprecate('2.336.0')],
  ])('a poll is refused with the kind of error %s', async (errorKind, act) => {
    const { poll } = await connected();
    const answer = poll();
    act();
    await stage.clock.advance(50_000);

    expect((await answer).body).toMatchObject({ source: 'actions-broker-listener', errorKind });
  });

  it('a request about a job that is not the runner’s has the body that the runner understands', async () => {
    const { token } = await connected();

    expect((await post('run-service/acquirejob', token, { jobMessageId: jobGuid(7) })).body).toMatchObject({
      source: 'actions-run-service',
      statusCode: 404,
    });
  });

  it('a second listener of a runner is a conflict until the first has deleted its session', async () => {
    const { token } = await connected();
    const open = () => post('broker/session', token, { agent: { id: 1, version: '2.336.0' } });
    expect((await open()).status).toBe(409);
    await send('DELETE', `${identity.serviceUrl}session`, undefined, token);
    await stage.clock.advance(2_000);

    expect((await open()).status).toBe(200);
  });

  it.each([
    [500, { kind: 'error', code: 'ECONNREFUSED' }],
    [503, { kind: 'error', status: 503 }],
  ] as const)('the token service alone is away with %i', async (status, effect) => {
    const { token } = await connected();
    stage.engine.faults.add({ service: 'platform', operation: 'token', effect });

    expect((await askToken()).status).toBe(status);
    expect((await post('run-service/renewjob', token, { jobId: jobGuid(1) })).status).toBe(404);
  });

  it('a runner finds the list of services that its configuration names', async () => {
    const { url } = stage.host.scaleSetService.connect(org, 'api.github.com');

    expect((await send('GET', `${url}_apis/connectionData`)).body).toHaveProperty('locationServiceData');
  });
});
