import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const puppetTree = fileURLToPath(new URL('../../../../puppet', import.meta.url));

/** The user of a scratch root's jobs. */
export const jobUser = 'daemon';

/** A folder that looks enough like an operating system for Puppet to be applied to it, without systemd, packages, accounts. */
export class ScratchRoot {
  readonly folder = mkdtempSync(join(tmpdir(), 'scratch-'));
  readonly root = join(this.folder, 'root');
  readonly facts = join(this.folder, 'facts/custom.json');
  readonly hiera = join(this.folder, 'hiera.yaml');
  readonly runnerArchive = join(this.folder, 'actions-runner.tar.gz');
  readonly runnerChecksum: string;

  constructor() {
    const folders = [
      'etc/systemd/system',
      'etc/logrotate.d',
      'etc/sudoers.d',
      'usr/local/bin',
      'opt',
      'var/lib',
      'var/log',
    ];
    chmodSync(this.folder, 0o755);
    for (const path of folders) mkdirSync(join(this.root, path), { recursive: true });
    for (const path of ['facts', 'confdir', 'vardir']) mkdirSync(join(this.folder, path));
    this.runnerChecksum = this.#packRunner();
    this.writeFacts({});
    this.writeData({});
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  writeFacts(change: { readonly drover?: object; readonly actions_runner?: object }): void {
    const drover = { role: 'actions_runner', packages: ['jq'], environment: 'test', ...change.drover };
    const actions_runner = {
      autoscaling_group_name: 'runners',
      region: 'eu-west-1',
      platform_url: 'https://github.com/example-org',
      extra_labels: ['gpu'],
      runner_version: '2.330.0',
      runner_checksum: this.runnerChecksum,
      ...change.actions_runner,
    };
    writeFileSync(this.facts, JSON.stringify({ drover, actions_runner }));
  }

  /** Replaces our data, with everything that needs a real operating system switched off. */
  writeData(change: Readonly<Record<string, unknown>>): void {
    const { username, uid } = userInfo();
    const group = execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim();
    const data = {
      'drover_node::root': this.root,
      'drover_node::owner': username,
      'drover_node::group': group,
      'drover_node::manage_accounts': false,
      'drover_node::manage_packages': false,
      'drover_node::manage_services': false,
      // Jobs have a user of their own, which only root can give files to; every Debian has this one.
      'drover_runner::user': uid === 0 ? jobUser : username,
      'drover_runner::archive_url': `file://${this.runnerArchive}`,
      'drover_runner::download_patience': 0,
      ...change,
    };
    writeFileSync(join(this.folder, 'data.yaml'), JSON.stringify(data));
    const hierarchy = [{ name: 'scratch', path: 'data.yaml', datadir: this.folder, data_hash: 'yaml_data' }];
    writeFileSync(this.hiera, JSON.stringify({ version: 5, hierarchy }));
  }

  /** Options that keep Puppet away from this machine's own configuration. */
  puppetOptions(hiera = this.hiera): string[] {
    const settings = { confdir: 'confdir', vardir: 'vardir', pluginfactdest: 'facts' };
    return [
      ...Object.entries(settings).flatMap(([name, path]) => [`--${name}`, join(this.folder, path)]),
      ...['--hiera_config', hiera, '--modulepath', join(puppetTree, 'modules')],
      ...['--color=false', '--strict_variables', '--strict=error'],
    ];
  }

  apply(puppet: string) {
    const args = ['apply', '--detailed-exitcodes', ...this.puppetOptions(), join(puppetTree, 'manifests/site.pp')];
    const { status, stdout, stderr } = spawnSync(puppet, args, { encoding: 'utf8' });
    return { status, said: `${stdout}${stderr}` };
  }

  /** A stand-in for the runner's release: the files that the units and the agent look for. */
  #packRunner(): string {
    const files = {
      // Where it is, as GitHub's does: the settings, the credentials, the environment, the script that is made from a template.
      'config.sh':
        '#!/bin/sh\nset -e\ncd "$(dirname "$0")"\n' +
        'for file in .runner .credentials .credentials_rsaparams .env .path svc.sh; do echo "$1" >$file; done\n' +
        'chmod 600 .credentials_rsaparams\n',
      'bin/Runner.Listener': '#!/bin/sh\n',
      'bin/installdependencies.sh': '',
    };
    const tree = join(this.folder, 'release');
    mkdirSync(join(tree, 'bin'), { recursive: true });
    for (const [path, content] of Object.entries(files)) writeFileSync(join(tree, path), content, { mode: 0o755 });
    execFileSync('tar', ['-czf', this.runnerArchive, '-C', tree, '.']);
    return createHash('sha256').update(readFileSync(this.runnerArchive)).digest('hex');
  }
}
