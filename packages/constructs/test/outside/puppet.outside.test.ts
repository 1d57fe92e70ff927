import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { puppetTree, ScratchRoot } from './scratch-root.ts';

const puppet = outsideClient('puppet', 'apt-get install puppet');
/** Puppet gives files to their owners, which only root may. */
const asRoot = process.getuid?.() === 0;
const whyNotRoot = asRoot ? '' : ' (skipped: only root may give files to their owners; run the tests as root)';
const found = (command: string, probe = ['--version']) => spawnSync(command, probe, { stdio: 'ignore' }).status === 0;
/** Programs of the operating system. */
const system = { analyze: 'systemd-analyze', unshare: 'unshare' };
const systemd = found(system.analyze);
/** A network of its own in which the rules can be tried needs root. */
const ownNetwork =
  process.getuid?.() === 0 && found('nft') && found('curl') && found(system.unshare, ['--net', 'ip', 'link']);

const filesBelow = (folder: string, ending: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => join(folder, path));

describe.skipIf(puppet.missing)(`puppet ${puppet.reason}`, () => {
  it('parses every manifest and template', () => {
    const manifests = spawnSync(puppet.path, ['parser', 'validate', ...filesBelow(puppetTree, '.pp')]);
    const templates = spawnSync(puppet.path, ['epp', 'validate', ...filesBelow(puppetTree, '.epp')]);

    expect([manifests.status, manifests.stderr.toString()]).toEqual([
      0,
      expect.not.stringContaining('Could not parse'),
    ]);
    expect([templates.status, templates.stderr.toString()]).toEqual([0, expect.not.stringContaining('Errors')]);
  });

  describe.skipIf(!asRoot)(`applied to a scratch root${whyNotRoot}`, () => {
    let scratch: ScratchRoot;
    let first: ReturnType<ScratchRoot['apply']>;
    beforeAll(() => {
      scratch = new ScratchRoot();
      first = scratch.apply(puppet.path);
    });
    afterAll(() => scratch.remove());
    const mode = (path: string) => (statSync(join(scratch.root, path)).mode & 0o777).toString(8);
    const unit = (name: string) => scratch.read(`etc/systemd/system/${name}`).split('\n');

    it('changes what is missing, and nothing in a second run', () => {
      const second = scratch.apply(puppet.path);

      expect(first.status, first.said).toBe(2);
      expect(second.status, second.said).toBe(0);
    });

    it("writes the agent's configuration from the facts", () => {
      expect(JSON.parse(scratch.read('etc/runner-agent/config.json'))).toMatchObject({
        autoscaling_group_name: 'runners',
        region: 'eu-west-1',
        platform_url: 'https://github.com/example-org',
        extra_labels: ['gpu'],
        runner_directory: '/opt/actions-runner',
      });
    });

    it.each([
      ['etc/runner-agent/config.json', '644'],
      ['etc/drover/metadata-firewall.nft', '644'],
      ['etc/logrotate.d/drover', '644'],
      ['etc/systemd/system/actions-runner.service', '644'],
      ['etc/systemd/system/runner-agent.service', '644'],
      ['etc/systemd/system/drover-configure.timer', '644'],
      ['opt/drover/hooks/job-started.sh', '755'],
      ['opt/drover/lib/install-runner', '755'],
      ['opt/actions-runner', '755'],
      ['opt/actions-runner/config.sh', '755'],
      ['opt/actions-runner/bin/Runner.Listener', '755'],
    ])('has %s with mode %s', (path, expected) => {
      expect(mode(path)).toBe(expected);
    });

    it('puts the agent on the path, where remote commands find it', () => {
      expect(readlinkSync(join(scratch.root, 'usr/local/bin/runner-agent'))).toBe('/opt/drover/bin/runner-agent');
    });

    it('marks which version is installed', () => {
      expect(scratch.read('opt/actions-runner/.installed')).toBe(`2.330.0 ${scratch.runnerChecksum}\n`);
    });

    it('lets nothing but the agent start the runner, and never signals a Worker', () => {
      const lines = unit('actions-runner.service');

      expect(lines).not.toContain('[Install]');
      expect(lines).toEqual(
        expect.arrayContaining([
          'KillMode=process',
          'KillSignal=SIGINT',
          'TimeoutStopSec=5min',
          'RestartPreventExitStatus=1 5 7',
          'StandardOutput=journal',
          'Environment=ACTIONS_RUNNER_HOOK_JOB_STARTED=/opt/drover/hooks/job-started.sh',
        ]),
      );
    });

    it('does not start the runner without the firewall', () => {
      expect(unit('actions-runner.service')).toContain(
        'ExecStartPre=+/usr/sbin/nft --file /etc/drover/metadata-firewall.nft',
      );
    });

    it('keeps the agent alive from boot on', () => {
      expect(unit('runner-agent.service')).toEqual(
        expect.arrayContaining([
          'ExecStart=/opt/drover/bin/runner-agent run',
          'Restart=always',
          'RuntimeDirectory=runner-agent',
          'WantedBy=multi-user.target',
        ]),
      );
      expect(unit('runner-agent.service').join()).not.toContain('User=');
    });

    it('applies itself again every 30 minutes', () => {
      expect(unit('drover-configure.timer')).toContain('OnUnitActiveSec=30min');
      expect(unit('drover-configure.service')).toContain('ExecStart=/opt/drover/bin/configure');
    });

    it.skipIf(!systemd)(`has units that systemd understands${systemd ? '' : ' (skipped: no systemd-analyze)'}`, () => {
      const folder = join(scratch.root, 'etc/systemd/system');
      const units = readdirSync(folder).map((name) => join(folder, name));

      const { stderr } = spawnSync(system.analyze, ['verify', '--man=no', ...units], { encoding: 'utf8' });

      // Programs that only a real instance has.
      const faults = stderr
        .split('\n')
        .filter((line) => line !== '' && !/\/(opt|usr\/sbin)\/.* is not executable/.test(line));
      expect(faults.filter((line) => units.some((path) => line.includes(path.split('/').at(-1)!)))).toEqual([]);
    });

    it.skipIf(!ownNetwork)(
      `lets root reach the metadata service and nobody else${ownNetwork ? '' : ' (skipped: needs root, nftables, iproute2, curl)'}`,
      () => {
        const script = `
          ip link set lo up && ip address add 169.254.169.254/32 dev lo
          python3 -m http.server --bind 169.254.169.254 --directory ${scratch.folder}/facts 80 >/dev/null 2>&1 &
          ask() { "$@" curl --silent --output /dev/null --max-time 5 http://169.254.169.254/; echo $?; }
          until [ "$(ask env)" = 0 ]; do sleep 0.1; done
          ask setpriv --reuid 65534 --clear-groups
          nft --file ${scratch.root}/etc/drover/metadata-firewall.nft
          nft --file ${scratch.root}/etc/drover/metadata-firewall.nft
          ask env
          ask setpriv --reuid 65534 --clear-groups
          kill $!`;

        const { stdout } = spawnSync(system.unshare, ['--net', 'sh', '-c', script], {
          encoding: 'utf8',
          timeout: 30_000,
        });

        // Before the rules anybody gets an answer; with them (loaded twice) only root, others are refused (curl: 7).
        expect(stdout.trim().split('\n')).toEqual(['0', '0', '7']);
      },
    );

    it('holds no secret anywhere', () => {
      for (const path of filesBelow(scratch.root, '').filter((path) =>
        statSync(path, { throwIfNoEntry: false })?.isFile(),
      ))
        expect(readFileSync(path, 'utf8')).not.toMatch(/token["']?\s*[:=]|password|secret_access/i);
    });
  });

  it.skipIf(!asRoot)(
    `fails, with a reason in its log, on a checksum that does not match and installs nothing${whyNotRoot}`,
    () => {
      const scratch = new ScratchRoot();
      scratch.writeFacts({ actions_runner: { runner_checksum: '0'.repeat(64) } });

      const { status, said } = scratch.apply(puppet.path);

      expect([4, 6]).toContain(status);
      expect(said).toContain(`expected is ${'0'.repeat(64)}`);
      expect(readdirSync(join(scratch.root, 'opt/actions-runner'))).toEqual([]);
      scratch.remove();
    },
  );

  it.skipIf(!asRoot)(`fails at once for a role that it does not know${whyNotRoot}`, () => {
    const scratch = new ScratchRoot();
    scratch.writeFacts({ drover: { role: 'teapot' } });

    const { status, said } = scratch.apply(puppet.path);

    expect(status).toBe(1);
    expect(said).toContain("The fact drover.role is 'teapot'; allowed is actions_runner");
    scratch.remove();
  });

  it('on a real instance makes the account, starts and enables the agent, and leaves the runner to it', () => {
    const scratch = new ScratchRoot();
    const args = ['catalog', 'compile', 'node', '--render-as', 'json'];
    args.push(...scratch.puppetOptions(join(puppetTree, 'hiera.yaml')), '--manifest', join(puppetTree, 'manifests'));

    const { stdout } = spawnSync(puppet.path, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

    const catalog = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { resources: Resource[] };
    const resource = (type: string, title: string) =>
      catalog.resources.find((one) => one.type === type && one.title === title)?.parameters;
    expect(resource('User', 'actions-runner')).toMatchObject({ ensure: 'present', system: true, managehome: true });
    expect(resource('Service', 'runner-agent.service')).toMatchObject({ ensure: 'running', enable: true });
    expect(resource('Service', 'drover-configure.timer')).toMatchObject({ ensure: 'running', enable: true });
    expect(resource('Service', 'drover-metadata-firewall.service')).toMatchObject({ ensure: 'running', enable: true });
    expect(resource('Service', 'actions-runner.service')).toBeUndefined();
    expect(resource('Service', 'puppet')).toMatchObject({ ensure: 'stopped', enable: false });
    for (const name of ['jq', 'nftables', 'git'])
      expect(resource('Package', name)).toMatchObject({ ensure: 'installed' });
    expect(resource('Exec', 'install the runner software')!.command).toContain(
      'https://github.com/actions/runner/releases/download/v2.330.0/actions-runner-linux-',
    );
    scratch.remove();
  });
});

interface Resource {
  readonly type: string;
  readonly title: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

describe("the runner's job hook", () => {
  const scratch = new ScratchRoot();
  afterAll(() => scratch.remove());
  const hook = join(puppetTree, 'modules/drover_runner/files/job-started.sh');
  const callWith = (agent: string) => {
    const { status, stdout, stderr } = spawnSync('sh', [hook], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, RUNNER_AGENT: agent },
      timeout: 10_000,
    });
    return { status, said: `${stdout}${stderr}` };
  };
  const agentThat = (does: string) => {
    const path = join(scratch.folder, 'agent');
    writeFileSync(path, `#!/bin/sh\n${does}\n`, { mode: 0o755 });
    return path;
  };

  it.each([
    ['is missing', () => join(scratch.folder, 'no-agent')],
    ['fails', () => agentThat('echo broken >&2; exit 1')],
    ['succeeds', () => agentThat(`[ "$1" = job-started ]`)],
  ])('succeeds silently when the agent %s', (_, agent) => {
    expect(callWith(agent())).toMatchObject({ status: 0, said: '' });
  });

  it('gives an agent up that hangs and ignores signals', () => {
    const agent = agentThat("trap '' TERM INT HUP; while :; do sleep 0.1; done");

    expect(callWith(agent)).toMatchObject({ status: 0, said: '' });
  });
});
