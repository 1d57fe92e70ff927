import { Secret } from '@drover/core';
import { HostStage, hours, org } from '@drover/embedded-cloud/platform/code-host.test-support';
import { describe, expect, it } from 'vitest';
import { PlatformClient } from './client.ts';
import { tokenCredentials } from './credentials.ts';
import { installations } from './installations.ts';
import { rateLimit } from './rate-limit.ts';

const clientOf = (stage: HostStage) =>
  new PlatformClient({
    apiUrl: stage.host.apiUrl,
    org,
    clock: stage.clock,
    fetch: stage.fetch,
    credentials: tokenCredentials(async () => new Secret(stage.token)),
  });

describe('the installations', () => {
  it('are all of the organisation for a token, over all pages', async () => {
    const stage = new HostStage();
    for (let id = 1; id <= 130; id++) stage.installApp({ id, appId: 1000 + id, appSlug: `app-${id}` });
    stage.host.credentials.suspend(7);

    const found = await installations(clientOf(stage));

    expect(found).toHaveLength(130);
    expect(found[6]).toEqual({
      id: 7,
      appId: 1007,
      appSlug: 'app-7',
      account: org,
      suspendedAt: '2026-01-05T00:00:00Z',
    });
    expect(found[7]!.suspendedAt).toBeUndefined();
  });

  it('are its own on this organisation for an app', async () => {
    const stage = new HostStage();
    const app = stage.installApp();
    stage.installApp({ id: 78, org: 'other-org' });
    stage.installApp({ id: 79, appId: 5, appSlug: 'stranger' });

    const found = await installations(clientOf(stage), async () => app.jwt());

    expect(found.map(({ id }) => id)).toEqual([77]);
  });
});

describe('the rate limit', () => {
  it('is told for both budgets, and asking is free', async () => {
    const stage = new HostStage();
    const client = clientOf(stage);

    const status = await rateLimit(client);

    const resetAt = stage.clock.now() + 1 * hours;
    expect(status).toEqual({
      core: { limit: 5000, used: 0, remaining: 5000, resetAt },
      runnerRegistration: { limit: 10_000, used: 0, remaining: 10_000, resetAt },
    });
    expect(stage.host.countedRequests).toBe(0);
  });

  it('can be asked for while everything else is refused', async () => {
    const stage = new HostStage();
    const client = clientOf(stage);
    stage.host.limits.exhaustUntil(stage.clock.now() + 1 * hours);
    await client.send('GET /orgs/{org}/actions/runners').catch(() => {});

    expect((await rateLimit(client))!.core.remaining).toBe(0);
  });

  it('is undefined on an Enterprise Server without limits; other failures are errors', async () => {
    const stage = new HostStage({ apiUrl: 'https://ghe.example.com/api/v3' });

    expect(await rateLimit(clientOf(stage))).toBeUndefined();
    stage.host.credentials.revokeToken(stage.token);
    await expect(rateLimit(clientOf(stage))).rejects.toThrow('Bad credentials');
  });
});
