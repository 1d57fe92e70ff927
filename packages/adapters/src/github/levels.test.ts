import { HostStage, org } from '@drover/cloud-github/testing';
import { Secret } from '@drover/core';
import { expect, it } from 'vitest';
import { appCredentials } from './app-credentials.ts';
import { PlatformClient } from './client.ts';
import { tokenCredentials } from './credentials.ts';
import { heldMemory } from './fleet-memory.test-support.ts';
import { publishedReleases } from './releases.ts';
import { platformRunners } from './runners.ts';

const levels = [
  { kind: 'org', name: org },
  { kind: 'repo', name: `${org}/app` },
  { kind: 'enterprise', name: 'example-enterprise' },
] as const;

it.each(levels)('runners of the level $kind are registered, found, labelled and removed there alone', async (level) => {
  const stage = new HostStage({ busyFlag: { flipChance: 0 } });
  const at = (own: (typeof levels)[number], runnerGroup?: string) => {
    const { apiUrl } = stage.host;
    const credentials = tokenCredentials(async () => new Secret(stage.token));
    const client = new PlatformClient({ apiUrl, level: own, clock: stage.clock, fetch: stage.fetch, credentials });
    const runners = platformRunners({ client, clock: stage.clock, memory: heldMemory(), runnerGroup });
    const url = 'https://github.com/actions/runner';
    return { runners, releases: publishedReleases({ client, releases: client, url, architecture: 'x64' }) };
  };
  const { runners, releases } = at(level);
  const token = (await runners.mint('i-1')).reveal();
  const { id } = stage.host.registry.register({ token, name: 'i-1', labels: ['fleet'] });
  const namesAt = async (own: (typeof levels)[number], group?: string) =>
    (await at(own, group).runners.list()).pages.flatMap((page) => page.runners.map(({ name }) => name));

  for (const other of levels) {
    expect(await namesAt(other)).toEqual(other === level ? ['i-1'] : []);
    expect((await at(other).runners.findByName('i-1'))?.id).toBe(other === level ? id : undefined);
    if (other !== level) expect(await at(other).runners.remove(id)).toBe('absent');
  }
  if (level.kind !== 'repo') expect(await namesAt(level, 'Default')).toEqual(['i-1']);
  await runners.keepLabels(id, ['draining']);
  expect(stage.host.registry.find(id).labels).toContain('draining');
  expect(await releases.endOf('0.0.1')).toBeUndefined();
  expect(await runners.remove(id)).toBe('removed');
});

it('an app finds its installation by a repository, and registers runners there if it administers repositories', async () => {
  const stage = new HostStage();
  const app = stage.installApp({ mayAdministerRepositories: true });
  const { clock, fetch, host } = stage;
  const common = { apiUrl: host.apiUrl, level: levels[1], clock, fetch };
  const memory = heldMemory();
  const credentials = appCredentials({
    appId: String(app.installation.appId),
    clock,
    random: stage.engine.random,
    memory,
    readPrivateKey: async () => new Secret(app.privateKey),
    client: () => new PlatformClient({ ...common, credentials: { authorization: async () => '' } }),
  });
  const client = new PlatformClient({ ...common, credentials });
  const token = await platformRunners({ client, clock, memory }).mint('i-1');

  expect(host.registry.levelOf(token.reveal())).toBe(`${org}/app`);
});
