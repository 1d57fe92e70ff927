import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { versionVariable } from '@drover/core/names/search-cluster';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';

const python = outsideClient('python3', 'apt-get install python3');
const bin = fileURLToPath(new URL('../../src/boot/bin', import.meta.url));

/** The programs of an instance in a folder of their own, with stand-ins that write down how they were called. */
class Home {
  readonly folder = mkdtempSync(join(tmpdir(), 'home-'));
  readonly calls = join(this.folder, 'calls');

  constructor() {
    cpSync(bin, join(this.folder, 'bin'), { recursive: true });
    writeFileSync(this.calls, '');
    for (const path of ['hiera.yaml', 'site.pp']) writeFileSync(join(this.folder, path), '');
    this.program('path/puppet', 'exit 2');
  }

  program(path: string, ends: string): void {
    mkdirSync(join(this.folder, path, '..'), { recursive: true });
    writeFileSync(join(this.folder, path), `#!/bin/sh\necho "$(basename "$0") $*" >>'${this.calls}'\n${ends}\n`);
    chmodSync(join(this.folder, path), 0o755);
  }

  run(program: string, ...args: string[]) {
    return this.runUnder([], program, ...args);
  }

  /** As a shell would run it behind other words. */
  runUnder(before: readonly string[], program: string, ...args: string[]) {
    const env = { PATH: `${join(this.folder, 'path')}:${process.env.PATH}` };
    const [command, ...words] = [...before, join(this.folder, 'bin', program), ...args];
    const { status, stderr } = spawnSync(command!, words, { encoding: 'utf8', env });
    return { status, stderr, calls: readFileSync(this.calls, 'utf8').trim().split('\n') };
  }

  configure(prepare: readonly string[] | undefined, remoteAgent?: string) {
    return this.run('configure', this.facts(prepare, remoteAgent));
  }

  /** Writes them, and returns where they are. */
  facts(prepare?: readonly string[], remoteAgent?: string): string {
    const at = (name: string) => join(this.folder, name);
    const puppet = {
      hiera_config: at('hiera.yaml'),
      manifest: at('site.pp'),
      module_path: '/m',
      log: at('log'),
      pause: 0,
      lock_patience: 0,
    };
    writeFileSync(
      at('custom.json'),
      JSON.stringify({
        drover: { puppet, ...(prepare && { prepare }), ...(remoteAgent && { remote_agent: remoteAgent }) },
      }),
    );
    return at('custom.json');
  }
}

describe.skipIf(python.missing)(`the programs that configure an instance ${python.reason}`, () => {
  let home: Home;
  const made: Home[] = [];
  beforeEach(() => {
    home = new Home();
    made.push(home);
  });
  afterAll(() => {
    for (const { folder } of made) rmSync(folder, { recursive: true });
  });

  it('configure runs the preparation of a role before each run of Puppet', () => {
    home.program('bin/cluster-cli', 'exit 0');

    const { status, calls } = home.configure(['bin/cluster-cli', 'node', 'prepare']);

    expect(status).toBe(0);
    expect(calls[0]).toBe('cluster-cli node prepare');
    expect(calls[1]).toMatch(/^puppet apply /);
  });

  it('configure installs the agent of Systems Manager where the image has none, once', () => {
    const archive = join(home.folder, 'amazon-ssm-agent.deb');
    writeFileSync(archive, 'package');
    home.program('path/systemctl', 'exit 0');
    home.program('path/apt-get', 'exit 0');

    const { status, calls } = home.configure(undefined, `file://${archive}`);

    expect(status).toBe(0);
    expect(calls.slice(0, 2)).toEqual([
      expect.stringMatching(/^apt-get -y .*install \/.*\/amazon-ssm-agent\.deb$/),
      'systemctl enable --now amazon-ssm-agent',
    ]);
    expect(calls[2]).toMatch(/^puppet apply /);
    home.program('path/amazon-ssm-agent', 'exit 0');
    expect(home.configure(undefined, `file://${archive}`).calls.slice(3)).toEqual([expect.stringMatching(/^puppet/)]);
  });

  it('configure goes on without the agent of Systems Manager when it cannot be had, and says so', () => {
    const { status, calls, stderr } = home.configure(undefined, `file://${join(home.folder, 'missing.deb')}`);

    expect(status).toBe(0);
    expect(calls).toEqual([expect.stringMatching(/^puppet apply /)]);
    expect(stderr).toContain('the next run tries again');
  });

  it('configure does not run Puppet when the preparation fails, and logs it', () => {
    home.program('bin/cluster-cli', 'echo "cluster-cli: 2 of 3 masters are visible" >&2; exit 4');

    const { status, calls, stderr } = home.configure(['bin/cluster-cli', 'node', 'prepare']);

    expect(status).toBe(1);
    expect(calls).toEqual(['cluster-cli node prepare']);
    expect(stderr).toContain('2 of 3 masters are visible');
    expect(readFileSync(join(home.folder, 'log'), 'utf8')).toContain('configure (err): what this configuration needs');
  });

  it('configure changes nothing while an upgrade holds the lock of its folder, except in the run that the upgrade starts', () => {
    const [locked, upgrade] = [
      ['flock', join(home.folder, 'bin')],
      ['env', `${versionVariable}=9.5.3`],
    ];

    const other = home.runUnder(locked, 'configure', home.facts());
    expect(other).toMatchObject({ status: 1, calls: [''] });
    expect(other.stderr).toContain('the upgrade of this node, is under way; nothing was changed');
    expect(readFileSync(join(home.folder, 'log'), 'utf8')).toContain('nothing was changed');

    expect(home.runUnder([...locked, ...upgrade], 'configure', home.facts())).toMatchObject({ status: 0 });
    expect(home.configure(undefined)).toMatchObject({ status: 0, calls: [expect.any(String), expect.any(String)] });
  });

  it('no process that configure starts keeps its lock', () => {
    home.program('path/puppet', `flock -n '${join(home.folder, 'bin')}' true; [ $? = 1 ] || exit 4; sleep 5 & exit 2`);

    expect(home.configure(undefined)).toMatchObject({ status: 0 });
    expect(spawnSync('flock', ['-n', join(home.folder, 'bin'), 'true']).status).toBe(0);
  });

  it('configure runs Puppet directly for a role without preparation', () => {
    const { status, calls } = home.configure(undefined);

    expect(status).toBe(0);
    expect(calls).toHaveLength(1);
  });

  it('run Puppet once more when it failed, as a held lock or a mirror may be back', () => {
    home.program('path/puppet', `[ "$(grep -c ^puppet '${home.calls}')" = 2 ] && exit 2; exit 6`);

    const { status, calls, stderr } = home.configure(undefined);

    expect(status).toBe(0);
    expect(calls).toHaveLength(2);
    expect(calls[1]).toBe(calls[0]);
    expect(stderr).toContain('puppet apply failed with exit code 6; trying once more');
  });

  it.each([1, 4, 6])('fail when Puppet has failed twice with exit code %i, and say so in the log', (code) => {
    home.program('path/puppet', `exit ${code}`);

    const { status, calls } = home.configure(undefined);

    expect(status).toBe(1);
    expect(calls).toHaveLength(2);
    const log = readFileSync(join(home.folder, 'log'), 'utf8').trim().split('\n');
    expect(log.at(-1)).toMatch(new RegExp(`configure \\(err\\): puppet apply failed with exit code ${code}$`));
  });

  it.each([
    ['runner-agent', 'runner-agent abandon --reason the disk is full'],
    ['cluster-cli', 'cluster-cli node abandon --reason the disk is full'],
  ])('give a launch up by the program that came with the stack: %s', (program, expected) => {
    for (const name of ['runner-agent', 'cluster-cli']) home.program(`bin/${name}`, 'exit 0');
    mkdirSync(join(home.folder, program));

    expect(home.run('abandon-launch', 'the disk', 'is full').calls).toEqual([expected]);
  });

  it('cluster-cli on an instance runs on the Node of the stack', () => {
    home.program('node/bin/node', 'exit 0');

    const { calls } = home.run('cluster-cli', 'cluster-health');

    expect(calls).toEqual([`node ${home.folder}/cluster-cli/cluster-cli.cjs cluster-health`]);
    expect(existsSync(join(home.folder, 'bin/cluster-cli'))).toBe(true);
  });
});
