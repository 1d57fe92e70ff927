import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { BakedHost } from './baked-host.ts';

const python = outsideClient('python3', 'apt-get install python3');
const report = '/memory/image/b-1/i-1.json';

describe.skipIf(python.missing)(`a host of a fleet with baked images ${python.reason}`, () => {
  let host: BakedHost;
  beforeEach(async () => {
    host = new BakedHost();
    await host.open();
    host.program('dpkg-query', 'printf installed');
    host.writeFacts();
  });
  afterEach(async () => await host.close());

  const configured = () => host.calls.some((call) => call.startsWith('configure'));
  const apt = () => host.calls.filter((call) => call.startsWith('apt-get'));

  it('a host on which nothing has changed since its image was made installs nothing and runs no Puppet', async () => {
    await host.bake();
    const { code, said } = await host.image('boot');

    expect(code, said).toBe(0);
    expect(said).toContain('everything is as the image has it');
    expect(host.calls).toEqual(['systemctl start --no-block runner-agent.service']);
  });

  it('a host with other facts than its image is configured without its old agent, and is no image any more', async () => {
    await host.bake();
    host.writeFacts({ packages: ['git'] });
    const { code, said } = await host.image('boot');

    expect(code, said).toBe(0);
    expect(host.calls.filter((call) => !call.startsWith('dpkg-query'))).toEqual([
      'systemctl stop runner-agent.service',
      `configure ${host.facts} --apply`,
    ]);
    expect(host.manifest).toBeUndefined();
  });

  it('a host installs only the packages that its image lacks', async () => {
    host.program('dpkg-query', 'case "$*" in *jq) exit 1 ;; esac; printf installed');
    const { code, said } = await host.image('boot');

    expect(code, said).toBe(0);
    expect(apt()).toEqual([expect.stringMatching(/ update$/), expect.stringMatching(/ install -- jq$/)]);
    expect(configured()).toBe(true);
  });

  it('a host whose configuration fails gives its launch up', async () => {
    host.script(join(host.home, 'bin/configure'), 'configure', 'exit 1');

    expect((await host.image('boot')).code).not.toBe(0);
  });

  it('a host takes the runner software of its image while that is the release of the mirror, and else fetches the other', async () => {
    const release = (archive: string) => {
      const checksum = createHash('sha256').update(archive).digest('hex');
      host.objects.set('/memory/runner/archive', archive);
      host.objects.set(
        '/memory/runner/current.json',
        JSON.stringify({ version: archive, checksum, key: 'runner/archive' }),
      );
    };
    release('2.337.0');
    host.writeFacts({}, { mirror: host.mirror });
    await host.bake();
    host.asked.length = 0;
    const same = await host.image('boot');
    const askedOfSame = [...host.asked];
    const configuredOfSame = configured();
    release('2.338.0');
    const other = await host.image('boot');

    expect([same.code, other.code], same.said + other.said).toEqual([0, 0]);
    expect([askedOfSame, configuredOfSame]).toEqual([['GET /memory/runner/current.json'], false]);
    expect(configured()).toBe(true);
    expect(host.read('opt/drover/release/archive.tar.gz')).toBe('2.338.0');
  });

  it('a host that is baked is cleaned of what is its own, notes what it has, reports it and powers off', async () => {
    const runner = { version: '2.330.0', checksum: 'c'.repeat(64) };
    const own = [
      ...['.runner', '.credentials_rsaparams', '_work/repo/file', '_diag/log'].map(
        (name) => `opt/actions-runner/${name}`,
      ),
      ...[
        'etc/ssh/ssh_host_rsa_key',
        'root/.ssh/authorized_keys',
        'var/lib/amazon/ssm/Vault/key',
        'var/lib/apt/lists/x',
      ],
      ...['var/log/journal/id/system.journal', 'opt/drover/post-runcmd.json', 'var/lib/runner-agent/configured.json'],
    ];
    for (const path of own) host.write(path, 'own');
    host.write('opt/actions-runner/bin/Runner.Listener', 'kept');
    host.write('etc/machine-id', '0123');
    host.script(join(host.home, 'bin/configure'), 'configure', `test -e ${host.root}/run/drover/no-agent`);
    const { said } = await host.bake();

    expect(
      own.filter((path) => host.read(path) !== undefined),
      said,
    ).toEqual([]);
    expect([host.read('opt/actions-runner/bin/Runner.Listener'), host.read('etc/machine-id')]).toEqual(['kept', '']);
    expect(host.manifest).toMatchObject({
      moduleVersion: '1.2.3',
      software: 'a'.repeat(64),
      node: 'b'.repeat(64),
      runner,
      packages: ['puppet', 'git', 'jq'],
      facts: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(JSON.parse(host.objects.get(report)!)).toEqual({ baked: true, manifest: host.manifest });
    expect(host.calls.at(-1)).toBe('systemctl poweroff');
    expect(host.calls).toContain('cloud-init clean --logs');
  });

  it.each([
    ['is not configured', (at: BakedHost) => at.script(join(at.home, 'bin/configure'), 'configure', 'exit 1')],
    ['cannot be cleaned', (at: BakedHost) => at.program('cloud-init', 'exit 1')],
  ])('a host that %s makes no image, says why and powers off', async (_, breaks) => {
    breaks(host);
    await host.bake();

    expect(host.manifest).toBeUndefined();
    expect(JSON.parse(host.objects.get(report)!)).toEqual({
      baked: false,
      reason: expect.stringMatching(/CalledProcessError: .*returned non-zero exit status 1/),
    });
    expect(host.calls.at(-1)).toBe('systemctl poweroff');
  });

  it('a host on trial checks itself, reports how long it took and powers off', async () => {
    await host.bake();
    host.tags = { 'drover:trial': 'b-1' };
    const { said } = await host.image('boot');

    expect(JSON.parse(host.objects.get(report)!), said).toEqual({ served: true, bootSeconds: expect.any(Number) });
    expect(host.calls).toEqual(['systemctl stop runner-agent.service', 'runner-agent check', 'systemctl poweroff']);
  });

  it('a host on trial that cannot serve says why', async () => {
    await host.bake();
    host.script(join(host.home, 'bin/runner-agent'), 'runner-agent', 'echo worker-does-not-start; exit 1');
    host.tags = { 'drover:trial': 'b-1' };
    await host.image('boot');

    expect(JSON.parse(host.objects.get(report)!)).toEqual({ served: false, reason: 'worker-does-not-start' });
  });

  it('the agent of an image starts before the boot has decided only with the settings of the image and not on trial', async () => {
    await host.bake();
    const codes = [(await host.image('may-serve')).code];
    host.tags = { 'drover:trial': 'b-1' };
    codes.push((await host.image('may-serve')).code);
    host.tags = {};
    host.writeFacts({ packages: [] });
    codes.push((await host.image('may-serve')).code);
    host.write('run/drover/booted', '');
    codes.push((await host.image('may-serve')).code);
    rmSync(host.facts);
    codes.push((await host.image('may-serve')).code);

    expect(codes).toEqual([0, 1, 1, 0, 255]);
  });
});
