import { describe, expect, it } from 'vitest';
import { HostStage, hours, org } from '../code-host.test-support.ts';
import { sha256 } from './runner-releases.ts';

const days = 24 * hours;
const deprecation = (version: string) => `GET /orgs/${org}/actions/runners/deprecations/${version}`;

describe('releases of the runner software at GitHub', () => {
  it('the latest release has assets with their digest, also for a caller without a credential, 60 times an hour', async () => {
    const stage = new HostStage();
    stage.host.registry.releases.publish('2.337.0');

    const { body } = await stage.ask('GET /repos/actions/runner/releases/latest', { authorization: null });

    const asset = body.assets.find(({ name }: { name: string }) => name === 'actions-runner-linux-x64-2.337.0.tar.gz');
    const bytes = stage.host.registry.releases.archive('2.337.0', 'linux-x64').bytes;
    expect(body.tag_name).toBe('v2.337.0');
    expect(asset.digest).toBe(`sha256:${sha256(bytes)}`);
    expect(body.body).toContain(`<!-- BEGIN SHA linux-x64 -->${sha256(bytes)}`);
    for (let asked = 1; asked < 60; asked++)
      await stage.ask('GET /repos/actions/runner/releases/latest', { authorization: null });
    const refused = await stage.ask('GET /repos/actions/runner/releases/latest', { authorization: null });
    expect([403, 429]).toContain(refused.status);
  });

  it('a download from github.com is redirected to the host of the assets, which has the bytes', () => {
    const { releases } = new HostStage().host.registry;
    const path = '/actions/runner/releases/download/v2.336.0/actions-runner-linux-x64-2.336.0.tar.gz';

    const first = releases.download('github.com', path)!;
    const second = releases.download(new URL(first.headers.location!).host, path)!;

    expect([first.status, second.status]).toEqual([302, 200]);
    expect(second.body).toEqual(releases.archive('2.336.0', 'linux-x64').bytes);
    expect(releases.download('github.com', path.replaceAll('2.336.0', '2.1.0'))?.status).toBe(404);
    expect(releases.download('github.com', '/example-org')).toBeUndefined();
  });

  it('the deprecation API has no end for the newest version, 30 days after the next one for others, and 404 for unknown ones', async () => {
    const stage = new HostStage();
    const before = await stage.ask(deprecation('2.336.0'));
    stage.host.registry.releases.publish('2.337.0');
    await stage.clock.advance(7 * days);
    stage.host.registry.releases.publish('2.338.0');
    const after = await stage.ask(deprecation('2.336.0'));

    expect(before.body).toEqual({ runner_version: '2.336.0' });
    expect(after.body).toEqual({ runner_version: '2.336.0', runtime_deprecates_at: '2026-02-04T00:00:00Z' });
    expect((await stage.ask(deprecation('2.300.0'))).status).toBe(404);
  });

  it('a listener whose version has come to its end learns so, and a critical release ends older versions at once', async () => {
    const stage = new HostStage();
    const { registry } = stage.host;
    const [id, other] = stage.register(2);
    const told: string[] = [];
    const session = (version: string) => ({
      version,
      deliver: () => {},
      revoked: () => {},
      deprecated: () => told.push(version),
    });
    registry.connect(id!, session('2.336.0'));
    registry.releases.publish('2.337.0');
    registry.connect(other!, session('2.337.0'));
    await stage.clock.advance(29 * days);
    const within = [...told];
    await stage.clock.advance(2 * days);
    const over = [...told];
    registry.releases.publish('2.338.0', { graceDays: 0 });
    await stage.clock.advance(hours);

    expect([within, over, [...new Set(told)]]).toEqual([[], ['2.336.0'], ['2.336.0', '2.337.0']]);
  });

  it('in the incident every version is called deprecated, and none any more when it is over', async () => {
    const stage = new HostStage();
    const { registry } = stage.host;
    const [id, other] = stage.register(2);
    const told: number[] = [];
    const session = (runner: number) => ({
      version: '2.336.0',
      deliver: () => {},
      revoked: () => {},
      deprecated: () => told.push(runner),
    });
    registry.connect(id!, session(id!));
    registry.callAllDeprecated(2 * hours);
    await stage.clock.advance(3 * hours);
    registry.connect(other!, session(other!));
    await stage.clock.advance(hours);

    expect(told).toEqual([id]);
  });
});
