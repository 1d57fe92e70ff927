import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { jobUser, puppetTree, ScratchRoot } from './scratch-root.ts';

const puppet = outsideClient('puppet', 'apt-get install puppet');
/** Puppet gives files to their owners, which only root may. */
const asRoot = process.getuid?.() === 0;
const whyNotRoot = asRoot ? '' : ' (skipped: only root may give files to their owners; run the tests as root)';
const found = (command: string, probe = ['--version']) => spawnSync(command, probe, { stdio: 'ignore' }).status === 0;
/** Programs of the operating system. */
const system = { analyze: 'systemd-analyze', unshare: 'unshare', setpriv: 'setpriv' };
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
    const mode = (path: string) => (statSync(join(scratch.root, path)).mode & 0o7777).toString(8);
    /** Runs a shell line as a job does: as the jobs' user, in the runner's directory. */
    const asJob = (line: string) => {
      const user = ['--reuid', jobUser, '--regid', jobUser, '--clear-groups'];
      const cwd = join(scratch.root, 'opt/actions-runner');
      const { status, stderr } = spawnSync(system.setpriv, [...user, 'sh', '-c', line], { cwd, encoding: 'utf8' });
      return { status, stderr };
    };
    const unit = (name: string) => scratch.read(`etc/systemd/system/${name}`).split('\n');

    it.each([
      ['write to a program', 'echo planted >bin/Runner.Listener'],
      ['rename a folder of programs', 'mv bin stolen'],
      ['replace the script that root runs', 'cp config.sh mine && mv -f mine bin/installdependencies.sh'],
      ['delete a script', 'rm -f config.sh'],
      ['delete the mark of what is installed', 'rm -f ../../var/lib/drover/runner'],
      ['write to the installer', 'echo planted >>../drover/lib/install-runner'],
      ['write to a job hook', 'echo planted >>../drover/hooks/job-completed.sh'],
      ["replace the runner's directory by another", 'mv ../actions-runner ../stolen'],
    ])("a job cannot %s, so root's next configuration run does not obey it", (_, line) => {
      const { status, stderr } = asJob(line);

      expect(status).not.toBe(0);
      expect(stderr).toMatch(/Permission denied|not permitted/);
    });

    it("config.sh of the runner can write its own files as the jobs' user, and jobs their folders", () => {
      const line = './config.sh settings && touch _work/file _diag/log && rm .runner && ./config.sh settings';

      expect(asJob(line)).toEqual({ status: 0, stderr: '' });

      expect(mode('opt/actions-runner/.credentials_rsaparams')).toBe('600');
    });

    it('another version of the runner keeps what config.sh wrote and follows no link that a job has planted', () => {
      const victim = join(scratch.folder, 'victim');
      mkdirSync(victim);
      writeFileSync(join(victim, 'shadow'), 'as it was');
      const planted = `rm -rf _work _diag; ln -s ${victim} _work; ln -s ${victim}/shadow externals; ln -s ${victim} bin.new`;
      expect(asJob(`echo 7 >.runner; ${planted}`).status).toBe(0);

      const installer = join(scratch.root, 'opt/drover/lib/install-runner');
      const to = [join(scratch.root, 'opt/actions-runner'), jobUser, join(scratch.folder, 'marker')];
      const release = ['9.9.9', `file://${scratch.runnerArchive}`, scratch.runnerChecksum];
      const { status, stderr } = spawnSync(installer, [...release, ...to], { encoding: 'utf8' });

      expect([status, stderr]).toEqual([0, '']);
      expect(readdirSync(join(scratch.root, 'opt'))).toEqual(['actions-runner', 'drover']);
      expect(readdirSync(victim)).toEqual(['shadow']);
      expect([statSync(victim).uid, readFileSync(join(victim, 'shadow'), 'utf8')]).toEqual([0, 'as it was']);
      expect(scratch.read('opt/actions-runner/.runner')).toBe('7\n');
      expect(readdirSync(join(scratch.root, 'opt/actions-runner'))).not.toContain('bin.new');
      expect(statSync(join(scratch.root, 'opt/actions-runner/bin')).uid).toBe(0);
    });

    it('changes what is missing, and nothing in a second run', () => {
      // A job may leave anything of its own in the runner's directory.
      expect(asJob('ln -sf no/where .installed; rm -rf _work; ln -s ../../var _work').status).toBe(0);

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
      ['opt/drover/hooks/job-completed.sh', '755'],
      ['opt/drover/lib/install-runner', '755'],
      ['opt/actions-runner', '1775'],
      ['opt/actions-runner/bin', '755'],
      ['opt/actions-runner/config.sh', '755'],
      ['opt/actions-runner/bin/Runner.Listener', '755'],
    ])('puppet gives the runner host %s with mode %s', (path, expected) => {
      expect(mode(path)).toBe(expected);
    });

    it('services of a runner without a proxy have an empty environment', () => {
      expect(scratch.read('etc/drover/environment')).toBe('');
    });

    it('puts the agent on the path, where remote commands find it', () => {
      expect(readlinkSync(join(scratch.root, 'usr/local/bin/runner-agent'))).toBe('/opt/drover/bin/runner-agent');
    });

    it('marks which version is installed', () => {
      expect(scratch.read('var/lib/drover/runner')).toBe(`2.330.0 ${scratch.runnerChecksum}\n`);
    });

    it('lets nothing but the agent start the runner, and never signals a Worker', () => {
      const lines = unit('actions-runner.service');

      expect(lines).not.toContain('[Install]');
      expect(lines).toEqual(
        expect.arrayContaining([
          'KillMode=process',
          'KillSignal=SIGINT',
          'TimeoutStopSec=5min',
          'Restart=no',
          'StandardOutput=journal',
          'Environment=ACTIONS_RUNNER_HOOK_JOB_STARTED=/opt/drover/hooks/job-started.sh',
          'Environment=ACTIONS_RUNNER_HOOK_JOB_COMPLETED=/opt/drover/hooks/job-completed.sh',
        ]),
      );
    });

    it('starts the listener itself, whose exit codes the agent reads, with the path that config.sh noted', () => {
      const lines = unit('actions-runner.service');
      const start = lines.find((line) => line.startsWith('ExecStart='))!;

      expect(lines).toContain('Environment=ACTIONS_RUNNER_RETURN_VERSION_DEPRECATED_EXIT_CODE=1');
      expect(start).toMatch(/PATH=\$\$\(cat \.path\).*exec \/opt\/actions-runner\/bin\/Runner\.Listener run/);
    });

    it('gives jobs neither Docker nor sudo unless the inputs say so', () => {
      expect(unit('actions-runner.service').join()).not.toContain('docker');
      expect(readdirSync(join(scratch.root, 'etc/sudoers.d'))).toEqual([]);
    });

    it('puppet does not start the runner without the firewall', () => {
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
          'WatchdogSec=2min',
          'NotifyAccess=all',
          'WantedBy=multi-user.target',
        ]),
      );
      expect(unit('runner-agent.service').join()).not.toContain('User=');
    });

    it('applies itself again every 30 minutes', () => {
      expect(unit('drover-configure.timer')).toContain('OnUnitActiveSec=30min');
      expect(unit('drover-configure.service')).toContain('ExecStart=/opt/drover/bin/configure');
    });

    it.skipIf(!systemd)(
      `puppet writes units that systemd understands${systemd ? '' : ' (skipped: no systemd-analyze)'}`,
      () => {
        const folder = join(scratch.root, 'etc/systemd/system');
        const units = readdirSync(folder)
          .filter((name) => /\.(service|timer)$/.test(name))
          .map((name) => join(folder, name));

        const { stderr } = spawnSync(system.analyze, ['verify', '--man=no', ...units], { encoding: 'utf8' });

        // Programs that only a real instance has.
        const faults = stderr
          .split('\n')
          .filter((line) => line !== '' && !/\/(opt|usr\/sbin)\/.* is not executable/.test(line));
        expect(faults.filter((line) => units.some((path) => line.includes(path.split('/').at(-1)!)))).toEqual([]);
      },
    );

    it.skipIf(!ownNetwork)(
      `lets root reach the metadata service and no other user${ownNetwork ? '' : ' (skipped: needs root, nftables, iproute2, curl)'}`,
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

        // Before the rules every user gets a response; with them (loaded twice) only root, others are refused (curl:
        // 7).
        expect(stdout.trim().split('\n')).toEqual(['0', '0', '7']);
      },
    );

    it.skipIf(!ownNetwork)(
      `keeps the metadata firewall when nftables.service starts, reloads and stops${ownNetwork ? '' : ' (skipped: needs root, nftables, iproute2, curl)'}`,
      () => {
        const dropIn = unit('nftables.service.d/drover.conf');
        const after = (key: string) => {
          const command = dropIn.find((line) => line.startsWith(`${key}=`))?.slice(key.length + 1);
          return command?.replace(' /etc/', ` ${scratch.root}/etc/`);
        };
        // The commands of the distribution's unit, then those that the drop-in adds.
        const steps = ['ExecStartPost', 'ExecReload', 'ExecStopPost'].map(
          (key) => `nft flush ruleset; ${after(key)}; nft list table inet drover_metadata >/dev/null && echo ${key}`,
        );

        const { stdout, stderr } = spawnSync(system.unshare, ['--net', 'sh', '-c', steps.join('\n')], {
          encoding: 'utf8',
        });

        expect([stdout.trim().split('\n'), stderr]).toEqual([['ExecStartPost', 'ExecReload', 'ExecStopPost'], '']);
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
      expect(readdirSync(join(scratch.root, 'opt'))).toEqual(['drover']);
      scratch.remove();
    },
  );

  it.skipIf(!asRoot)(`installs the release that the boot script took from the mirror${whyNotRoot}`, () => {
    const scratch = new ScratchRoot();
    const release = {
      version: '2.337.0',
      checksum: scratch.runnerChecksum,
      url: `file://${scratch.runnerArchive}`,
    };
    scratch.writeFacts({ actions_runner: { runner_version: undefined, runner_checksum: undefined } });
    scratch.writeData({ 'drover_runner::archive_url': undefined });
    writeFileSync(join(scratch.facts, '../drover_release.json'), JSON.stringify({ drover_release: release }));

    const { status, said } = scratch.apply(puppet.path);

    expect(status, said).toBe(2);
    expect(scratch.read('var/lib/drover/runner')).toBe(`2.337.0 ${scratch.runnerChecksum}\n`);
    expect(JSON.parse(scratch.read('etc/runner-agent/config.json'))).toMatchObject({ runner_version: '2.337.0' });
    scratch.remove();
  });

  it.skipIf(!asRoot)(`fails at once for a role that it does not know${whyNotRoot}`, () => {
    const scratch = new ScratchRoot();
    scratch.writeFacts({ drover: { role: 'teapot' } });

    const { status, said } = scratch.apply(puppet.path);

    expect(status).toBe(1);
    expect(said).toContain("The fact drover.role is 'teapot'; allowed is actions_runner");
    scratch.remove();
  });

  describe('the catalog of a real instance with docker and passwordless_sudo', () => {
    let resources: readonly Resource[];
    beforeAll(() => {
      const scratch = new ScratchRoot();
      const variables = { https_proxy: 'http://proxy:3128', NODE_USE_ENV_PROXY: '1' };
      scratch.writeFacts({
        actions_runner: { docker: true, docker_registry_mirror: 'http://mirror:5000', passwordless_sudo: true },
        drover: { variables, program_version: '0.9.0' },
      });
      const args = ['catalog', 'compile', 'node', '--render-as', 'json'];
      args.push(...scratch.puppetOptions(join(puppetTree, 'hiera.yaml')), '--manifest', join(puppetTree, 'manifests'));
      const { stdout } = spawnSync(puppet.path, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
      ({ resources } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { resources: Resource[] });
      scratch.remove();
    });
    const resource = (type: string, title: string) =>
      resources.find((one) => one.type === type && one.title === title)?.parameters;

    it('programs_from_packages installs the package of the version, and the program of the stack gives way to it', () => {
      expect(resource('Package', 'runner-agent')).toMatchObject({ ensure: '0.9.0' });
      expect(resource('File', '/opt/drover/bin/runner-agent')).toMatchObject({
        ensure: 'link',
        target: '/usr/lib/drover/bin/runner-agent',
      });
      expect(resource('File', '/usr/local/bin/runner-agent')).toMatchObject({ target: '/opt/drover/bin/runner-agent' });
    });

    it('on a real instance makes the account, starts and enables the agent, and leaves the runner to it', () => {
      expect(resource('User', 'actions-runner')).toMatchObject({ ensure: 'present', system: true, managehome: true });
      expect(resource('Service', 'runner-agent.service')).toMatchObject({ ensure: 'running', enable: true });
      expect(resource('Service', 'drover-configure.timer')).toMatchObject({ ensure: 'running', enable: true });
      expect(resource('Service', 'drover-metadata-firewall.service')).toMatchObject({
        ensure: 'running',
        enable: true,
      });
      expect(resource('Service', 'actions-runner.service')).toBeUndefined();
      expect(resource('Service', 'puppet')).toMatchObject({ ensure: 'stopped', enable: false });
      for (const name of ['jq', 'nftables', 'git'])
        expect(resource('Package', name)).toMatchObject({ ensure: 'installed' });
      expect(resource('Exec', 'install the runner software')!.command).toContain(
        'https://github.com/actions/runner/releases/download/v2.330.0/actions-runner-linux-',
      );
    });

    it("root runs the script for the runner's libraries from a folder of its own, by a mark of its own", () => {
      const { command, unless } = resource('Exec', 'install the libraries of the runner software')!;

      expect(command).toMatch(
        /^\/opt\/actions-runner\/bin\/installdependencies\.sh && .*>\/var\/lib\/drover\/[a-z-]+$/,
      );
      expect(unless).toMatch(/ \/var\/lib\/drover\/[a-z-]+$/);
      expect(resource('File', '/opt/actions-runner')).toMatchObject({ owner: 'root', mode: '1775' });
      // Below it everything that a job can replace is left alone.
      expect(
        resources.filter(({ type, title }) => type === 'File' && title.startsWith('/opt/actions-runner/')),
      ).toEqual([]);
    });

    it("the input docker brings a daemon that runs before the runner, and jobs' access to its socket", () => {
      expect(resource('Package', 'docker.io')).toMatchObject({ ensure: 'installed' });
      expect(resource('Service', 'docker')).toMatchObject({ ensure: 'running', enable: true });
      expect(resource('User', 'actions-runner')).toMatchObject({ groups: expect.toBeOneOf(['docker', ['docker']]) });
      const unit = resource('File', '/etc/systemd/system/actions-runner.service')!.content as string;
      for (const key of ['After', 'Wants']) expect(unit).toMatch(new RegExp(`^${key}=.* docker\\.service$`, 'm'));
    });

    it('the input docker_registry_mirror is in the configuration of the daemon, which reads it without a restart', () => {
      const file = resource('File', '/etc/docker/daemon.json')!;

      expect(JSON.parse(file.content as string)).toEqual({ 'registry-mirrors': ['http://mirror:5000'] });
      expect(resource('Service', 'docker')!.restart).toBe('/usr/bin/systemctl reload docker');
    });

    it('the proxy is in the environment of the runner, the agent and the Docker daemon', () => {
      const read = 'EnvironmentFile=-/etc/drover/environment';

      expect(resource('File', '/etc/drover/environment')).toMatchObject({
        content: 'https_proxy=http://proxy:3128\nNODE_USE_ENV_PROXY=1\n',
      });
      for (const unit of ['actions-runner.service', 'runner-agent.service', 'docker.service.d/drover.conf'])
        expect(resource('File', `/etc/systemd/system/${unit}`)!.content).toContain(`\n${read}\n`);
    });

    it('the input passwordless_sudo writes a rule that visudo has checked, for the jobs only', () => {
      expect(resource('Package', 'sudo')).toMatchObject({ ensure: 'installed' });
      expect(resource('File', '/etc/sudoers.d/drover-runner')).toMatchObject({
        ensure: 'file',
        content: 'actions-runner ALL=(ALL:ALL) NOPASSWD: ALL\n',
        mode: '0440',
        owner: 'root',
        validate_cmd: '/usr/sbin/visudo -cf %',
      });
    });
  });
});

interface Resource {
  readonly type: string;
  readonly title: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

describe.each([
  ['job-started', 1_500],
  ['job-completed', 1_000],
])("the runner's hook %s", (word, mostMs) => {
  const scratch = new ScratchRoot();
  afterAll(() => scratch.remove());
  const hook = join(puppetTree, `modules/drover_runner/files/${word}.sh`);
  const callWith = (agent: string) => {
    const { status, stdout, stderr } = spawnSync('sh', [hook], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, RUNNER_AGENT: agent, RUNNER_AGENT_SECONDS: String(mostMs / 1_000) },
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
    ['succeeds', () => agentThat(`[ "$1" = ${word} ] && touch ${scratch.folder}/called`)],
  ])(`${word} succeeds silently when the agent %s`, (_, agent) => {
    expect(callWith(agent())).toMatchObject({ status: 0, said: '' });
  });

  it(`${word} has called the agent by that name`, () => {
    expect(readdirSync(scratch.folder)).toContain('called');
  });

  it(`${word} gives an agent up that hangs and ignores signals`, () => {
    const agent = agentThat("trap '' TERM INT HUP; while :; do sleep 0.1; done");

    expect(callWith(agent)).toMatchObject({ status: 0, said: '' });
  });
});
