import { generateKeyPairSync } from 'node:crypto';
import { HostStage, hours, minutes, org, type TestApp } from '@drover/cloud-github/testing';
import { Secret } from '@drover/core';
import type { PlatformLevel } from '@drover/core/names/platform-level';
import { describe, expect, it } from 'vitest';
import { type AppCredentials, appCredentials } from './app-credentials.ts';
import { PlatformClient, PlatformStatusError } from './client.ts';
import { heldMemory } from './fleet-memory.test-support.ts';
import { list, number, object } from './reading.ts';

const runners = 'GET /{level}/actions/runners';
const shape = object({ total_count: number, runners: list(object({ id: number })) });

function invocation(
  stage: HostStage,
  app: TestApp,
  memory = heldMemory(),
  key: string | (() => string) = app.privateKey,
  level: PlatformLevel = { kind: 'org', name: org },
) {
  const { clock, fetch } = stage;
  const common = { apiUrl: stage.host.apiUrl, level, clock, fetch };
  const credentials: AppCredentials = appCredentials({
    appId: String(app.installation.appId),
    clock,
    random: stage.engine.random,
    memory,
    readPrivateKey: async () => new Secret(typeof key === 'string' ? key : key()),
    client: () => new PlatformClient({ ...common, credentials: { authorization: async () => '' } }),
  });
  return { credentials, client: new PlatformClient({ ...common, credentials }) };
}

const mints = (stage: HostStage) =>
  stage.engine.journal.entries.filter(({ name }) => name.endsWith('/access_tokens')).length;

describe('an app', () => {
  it('mints one token an hour, however many invocations there are: the fleet memory carries it', async () => {
    const stage = new HostStage();
    const app = stage.installApp();
    const memory = heldMemory();
    for (let count = 0; count < 50; count++) {
      await invocation(stage, app, memory).client.call(runners, shape);
      await stage.clock.advance(1 * minutes);
    }

    expect(mints(stage)).toBe(1);
    await stage.clock.advance(6 * minutes);
    await invocation(stage, app, memory).client.call(runners, shape);
    expect(mints(stage)).toBe(2);
  });

  it('an app that authenticates for a repository finds its installation there, and needs the permission Administration', async () => {
    const stage = new HostStage();
    const level = { kind: 'repo', name: `${org}/app` } as const;
    const app = stage.installApp();
    const refused = await invocation(stage, app, heldMemory(), app.privateKey, level)
      .client.call(runners, shape)
      .catch((caught: PlatformStatusError) => caught);
    const allowed = stage.installApp({ mayAdministerRepositories: true });
    const { client } = invocation(stage, allowed, heldMemory(), allowed.privateKey, level);

    expect(refused).toMatchObject({ reason: 'missing-right', remedy: expect.stringContaining('Administration') });
    expect((await client.call(runners, shape)).status).toBe(200);
  });

  it('keeps ETags valid across invocations', async () => {
    const stage = new HostStage();
    const app = stage.installApp();
    const memory = heldMemory();
    const first = await invocation(stage, app, memory).client.call(runners, shape);

    const second = await invocation(stage, app, memory).client.callIfChanged(runners, shape, { etag: first.etag! });

    expect(second.status).toBe(304);
  });

  it('keeps its token where only holders of its key can read it', async () => {
    const stage = new HostStage();
    const app = stage.installApp();
    const memory = heldMemory();
    await invocation(stage, app, memory).client.call(runners, shape);
    const { authorization } = invocation(stage, app, memory).credentials;
    const token = (await authorization()).replace('token ', '');

    expect(token).toMatch(/^ghs_/);
    expect(JSON.stringify(memory.state)).not.toContain(token);
    const forged = { ...memory.state.accessToken!, sealed: `A${memory.state.accessToken!.sealed.slice(1)}` };
    await invocation(stage, app, heldMemory({ accessToken: forged })).client.call(runners, shape);
    expect(mints(stage)).toBe(2);
  });

  it('mints another token when the one it has was revoked', async () => {
    const stage = new HostStage();
    const app = stage.installApp();
    const memory = heldMemory();
    const { client, credentials } = invocation(stage, app, memory);
    await client.call(runners, shape);
    const token = (await credentials.authorization()).replace('token ', '');

    stage.host.credentials.revokeToken(token);
    await client.call(runners, shape);
    await invocation(stage, app, memory).client.call(runners, shape);

    expect(mints(stage)).toBe(2);
  });

  it('reads its key again when the platform refuses it: it may have been replaced in its secret', async () => {
    const stage = new HostStage();
    const app = stage.installApp();
    let key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
    const { credentials } = invocation(stage, app, heldMemory(), () => String(key));
    await expect(credentials.authorization()).rejects.toMatchObject({ reason: 'bad-credentials' });

    key = app.privateKey;

    expect(await credentials.authorization()).toMatch(/^token ghs_/);
  });

  it('an app never sends the same JWT twice, however many invocations mint in one second', async () => {
    const stage = new HostStage();
    const app = stage.installApp();

    const invocations = Array.from({ length: 5 }, () => invocation(stage, app));
    await Promise.all(invocations.map(({ client }) => client.call(runners, shape)));

    expect(mints(stage)).toBe(5);
  });

  it('an app that is not installed, or that is suspended, gets an error that says so', async () => {
    const stage = new HostStage();
    const app = stage.installApp();
    stage.host.credentials.suspend(77);
    const suspended = await invocation(stage, app)
      .client.call(runners, shape)
      .catch((error: unknown) => error);
    const other = stage.installApp({ org: 'other-org' });
    const absent = await invocation(stage, other)
      .client.call(runners, shape)
      .catch((error: unknown) => error);

    expect(suspended).toMatchObject({ reason: 'suspended' });
    expect(absent).toBeInstanceOf(PlatformStatusError);
    expect(absent).toMatchObject({ reason: 'not-found', remedy: expect.stringContaining(org) });
  });

  it('an app whose secret holds no key says which secret to mend, and not what is in it', async () => {
    const stage = new HostStage();
    const app = stage.installApp();

    const error = (await invocation(stage, app, heldMemory(), 'not a pem: hunter2')
      .client.call(runners, shape)
      .catch((caught: Error) => caught)) as Error & { remedy: string };

    expect(error.message).toContain('private key of app 4711');
    expect(error.remedy).toContain('platform_app_pem_secret_arn');
    expect(`${error.message}${error.stack}`).not.toContain('hunter2');
  });

  it('works with a clock that is up to a minute fast', async () => {
    const stage = new HostStage();
    const app = stage.installApp();
    const fast = { ...stage.clock, now: () => stage.clock.now() + 55_000 } as typeof stage.clock;
    const credentials = appCredentials({
      appId: '4711',
      clock: fast,
      random: stage.engine.random,
      memory: heldMemory(),
      readPrivateKey: async () => new Secret(app.privateKey),
      client: () => invocation(stage, app).client,
    });

    expect(await credentials.authorization()).toMatch(/^token ghs_/);
    await stage.clock.advance(1 * hours);
  });
});
