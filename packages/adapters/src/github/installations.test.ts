import { HostStage, org } from '@drover/cloud-github/testing';
import { Secret } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { PlatformClient } from './client.ts';
import { tokenCredentials } from './credentials.ts';
import { installations } from './installations.ts';

const clientOf = (stage: HostStage) =>
  new PlatformClient({
    apiUrl: stage.host.apiUrl,
    level: { kind: 'org', name: org },
    clock: stage.clock,
    fetch: stage.fetch,
    credentials: tokenCredentials(async () => new Secret(stage.token)),
  });

describe('installations of apps', () => {
  it('installations returns those of the whole organisation for a token, from all pages', async () => {
    const stage = new HostStage();
    for (let id = 1; id <= 130; id++) stage.installApp({ id, appId: 1000 + id, appSlug: `app-${id}` });
    stage.host.credentials.suspend(7);

    const found = await installations(clientOf(stage));

    expect(found).toHaveLength(130);
    expect(found[6]).toEqual({
      id: 7,
      app_id: 1007,
      app_slug: 'app-7',
      account: { login: org },
      suspended_at: '2026-01-05T00:00:00Z',
    });
    expect(found[7]!.suspended_at).toBeUndefined();
  });

  it('installations returns only its own for an app, and only on this organisation', async () => {
    const stage = new HostStage();
    const app = stage.installApp();
    stage.installApp({ id: 78, org: 'other-org' });
    stage.installApp({ id: 79, appId: 5, appSlug: 'stranger' });

    const found = await installations(clientOf(stage), async () => app.jwt());

    expect(found.map(({ id }) => id)).toEqual([77]);
  });
});
