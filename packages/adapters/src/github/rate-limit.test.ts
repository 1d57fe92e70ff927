import { HostStage, hours, org } from '@drover/cloud-github/testing';
import { Secret } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { PlatformClient } from './client.ts';
import { tokenCredentials } from './credentials.ts';
import { rateLimit } from './rate-limit.ts';

const clientOf = (stage: HostStage) =>
  new PlatformClient({
    apiUrl: stage.host.apiUrl,
    level: { kind: 'org', name: org },
    clock: stage.clock,
    fetch: stage.fetch,
    credentials: tokenCredentials(async () => new Secret(stage.token)),
  });

describe('rateLimit', () => {
  it('rateLimit returns both budgets, and its request is free', async () => {
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

  it('rateLimit can be read while every other request is refused', async () => {
    const stage = new HostStage();
    const client = clientOf(stage);
    stage.host.limits.exhaustUntil(stage.clock.now() + 1 * hours);
    await client.send('GET /{level}/actions/runners').catch(() => {});

    expect((await rateLimit(client))!.core.remaining).toBe(0);
  });

  it('rateLimit returns undefined on an Enterprise Server without limits; other failures are errors', async () => {
    const stage = new HostStage({ apiUrl: 'https://ghe.example.com/api/v3' });

    expect(await rateLimit(clientOf(stage))).toBeUndefined();
    stage.host.credentials.revokeToken(stage.token);
    await expect(rateLimit(clientOf(stage))).rejects.toThrow('Bad credentials');
  });
});
