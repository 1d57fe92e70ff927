import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { commandsIn, fileIn, readUserData } from '../../src/boot/user-data.test-support.ts';
import { toProps as fleetProps } from '../../src/props/runner-fleet.ts';
import { toProps as clusterProps } from '../../src/props/search-cluster.ts';
import { runnerFleetInputs } from '../../src/runner-fleet/inputs.ts';
import { runnerUserData } from '../../src/runner-fleet/user-data.ts';
import { searchClusterInputs } from '../../src/search-cluster/inputs.ts';
import { nodeUserData } from '../../src/search-cluster/user-data.ts';

const cloudInit = outsideClient('cloud-init', 'apt-get install cloud-init');
/** cloud-init is written in Python and reads its documents with PyYAML. */
const python = outsideClient('python3', 'apt-get install python3-yaml', { probe: ['-c', 'import yaml'] });
const perl = outsideClient('perl', 'apt-get install perl');
const aptConfig = outsideClient('apt-config', 'apt-get install apt');
const folder = mkdtempSync(join(tmpdir(), 'cloud-init-'));
afterAll(() => rmSync(folder, { recursive: true }));

const tricky = [
  'on',
  'no',
  '12:30:00',
  '017',
  '1_000',
  '~',
  '2026-01-01',
  '- a',
  '# no comment',
  'ends with\n\n',
  'ü ',
];
const key = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQENBF\n=abcd\n-----END PGP PUBLIC KEY BLOCK-----\n';
const longText = 'a line with ü and $HOME and "quotes"\n'.repeat(100);
const userData = runnerUserData(
  runnerFleetInputs.settings(
    fleetProps({
      environment: 'production',
      platformOrg: 'example-org',
      platformTokenSecretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:platform-token',
      vpcId: 'vpc-1',
      subnetIds: ['subnet-1'],
      lambdaSubnetIds: ['subnet-2'],
      runnerVersion: '2.330.0',
      runnerChecksum: 'a'.repeat(64),
      packages: ['jq', 'no'],
      extraRepos: {
        docker: 'deb https://download.docker.com/linux/ubuntu noble stable',
        own: { source: 'deb [signed-by=$KEY_FILE] https://apt.example.com noble main', key },
        fetched: { source: 'deb https://apt.example.org noble main', keyid: '0EBFCD88', keyserver: 'keys.example.com' },
      },
      extraFiles: {
        ...Object.fromEntries(tricky.map((content, index) => [`/etc/extra/${index + 10}`, content])),
        '/etc/own': { content: longText, permissions: '0640', owner: 'daemon:adm' },
      },
      postRuncmd: tricky,
      docker: true,
      passwordlessSudo: true,
    }),
  ),
  { region: 'eu-west-1', urlSuffix: 'amazonaws.com', moduleVersion: '1.2.3', software: [] },
  { bucket: 'memory', reports: 'hosts/', logGroup: '/drover/runners/x', release: 'runner/current.json' },
);

const nodeData = (kind: 'master' | 'data') =>
  nodeUserData(
    kind,
    searchClusterInputs.settings(
      clusterProps({
        clusterName: 'logs',
        environment: 'production',
        vpcId: 'vpc-1',
        vpcCidrBlock: '10.0.0.0/16',
        subnetIds: ['subnet-1', 'subnet-2'],
        zoneId: 'Z0123456789',
        zoneName: 'search.example.com',
        packages: ['jq', 'no'],
        extraRepos: { docker: 'deb https://download.docker.com/linux/ubuntu noble stable' },
        extraFiles: { '/etc/extra': tricky[0]! },
        postRuncmd: tricky,
      }),
    ),
    {
      region: 'eu-west-1',
      urlSuffix: 'amazonaws.com',
      moduleVersion: '1.2.3',
      software: [],
      groupName: 'logs',
      launchVersion: '8.19.21',
      elasticSecret: 'arn:elastic',
      kibanaSystemSecret: 'arn:kibana',
      caCertificateSecret: 'arn:certificate',
      caKeySecret: 'arn:key',
      snapshotsBucket: 'snapshots',
      stateBucket: 'state',
    },
  );

function schema(document: string) {
  const file = join(folder, 'user-data');
  writeFileSync(file, document);
  const { status, stdout, stderr } = spawnSync(cloudInit.path, ['schema', '--config-file', file], { encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
}

describe.skipIf(cloudInit.missing)(`cloud-init schema ${cloudInit.reason}`, () => {
  it('accepts the user data of a runner with every optional input', () => {
    const { status, said } = schema(userData);

    expect(status, said).toBe(0);
    expect(said).toContain('Valid');
  });

  it.each(['master', 'data'] as const)('accepts the user data of a %s node with every optional input', (kind) => {
    const { status, said } = schema(nodeData(kind));

    expect(status, said).toBe(0);
    expect(said).toContain('Valid');
  });

  it.each([
    ['runcmd that is no list', userData.replace(/^runcmd:\n/m, 'runcmd: 5\nignored:\n')],
    ['a file without a path', userData.replace('- path: /opt/drover/boot.py', '- owner: root')],
    ['a document of another kind', userData.replace('#cloud-config', '#cloud-conf')],
  ])('would refuse %s', (_, document) => {
    expect(schema(document).status).not.toBe(0);
  });
});

describe.skipIf(python.missing)(`PyYAML ${python.reason}`, () => {
  it('PyYAML reads texts of the user data as texts', () => {
    const script = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)';
    const { stdout } = spawnSync(python.path, ['-c', script], { input: userData, encoding: 'utf8' });

    const document = JSON.parse(stdout);
    expect(document.packages).toEqual(['puppet', 'jq', 'no']);
    expect(document.write_files.slice(5, -1).map(({ content }: { content: string }) => content)).toEqual(tricky);
    expect(commandsIn(userData)).toEqual(tricky);
    expect(document.write_files[1].permissions).toBe('0755');
    expect(document.apt.sources.own.key).toBe(key);
  });
});

/** cloud-init's own way to write files, below a folder: both of its stages, with all files owned by root. */
const writeFiles = `
import os, sys
from cloudinit import util
from cloudinit.config import cc_write_files
owners = []
util.chownbyname = lambda path, user=None, group=None: owners.append((path, user, group))
document = util.load_yaml(sys.stdin.read())
files = document['write_files']
for file in files:
    file['path'] = sys.argv[1] + file['path']
for late in (False, True):
    cc_write_files.write_files('write_files', [file for file in files if bool(file.get('defer')) is late], 'root:root')
print([(path[len(sys.argv[1]):], user, group) for path, user, group in owners if user != 'root'])`;
const cloudInitCode = outsideClient('python3', 'apt-get install cloud-init', {
  probe: ['-c', 'import cloudinit.config.cc_write_files'],
});

describe.skipIf(cloudInitCode.missing)(`cloud-init's own module write_files ${cloudInitCode.reason}`, () => {
  it('writes compressed files as they were, with permissions and owner', () => {
    const root = join(folder, 'root');

    const { status, stdout, stderr } = spawnSync(cloudInitCode.path, ['-c', writeFiles, root], {
      input: userData,
      encoding: 'utf8',
    });

    expect(status, stderr).toBe(0);
    const bootScript = readFileSync(new URL('../../src/boot/boot.py', import.meta.url), 'utf8');
    expect(readFileSync(join(root, 'opt/drover/boot.py'), 'utf8')).toBe(
      bootScript.replace(/^ *"""[\s\S]*?"""\n/gm, '').replace(/^ *#(?!!).*\n/gm, ''),
    );
    expect(readFileSync(join(root, 'etc/own'), 'utf8')).toBe(longText);
    expect(stdout.trim()).toBe("[('/etc/own', 'daemon', 'adm')]");
    const mode = (path: string) => (statSync(join(root, path)).mode & 0o777).toString(8);
    expect(['opt/drover/boot.py', 'etc/own', 'opt/drover/post-runcmd.json'].map(mode)).toEqual(['755', '640', '600']);
  });
});

describe('the marks of a boot', () => {
  it.each([
    ['comes back at a reboot of an instance that has booted', true],
    ['does not come from an image of another instance, nor before the boot is complete', false],
  ])('/run/drover/booted %s', (_, hasBooted) => {
    const root = mkdtempSync(join(folder, 'reboot-'));
    mkdirSync(join(root, 'instance'));
    if (hasBooted) writeFileSync(join(root, 'instance/drover-booted'), '');
    const script = readUserData(userData)
      .bootcmd.join('\n')
      .replaceAll('/var/lib/cloud/instance', join(root, 'instance'))
      .replaceAll('/run/drover', join(root, 'run/drover'));

    const { status, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });

    expect([status, stderr]).toEqual([0, '']);
    expect(existsSync(join(root, 'run/drover/booted'))).toBe(hasBooted);
  });
});

/** Reads its files and looks services up as needrestart does: each file is evaluated, each key is a pattern. */
const needrestart = `
use strict;
my %nrconf = (override_rc => { qr(^dbus\\.service$) => 0 });
eval do { local $/; <STDIN> };
die $@ if $@;
foreach my $service (@ARGV) {
  my @found = grep { $service =~ /$_/ } keys %{$nrconf{override_rc}};
  print "$service\\n" if @found && !$nrconf{override_rc}->{$found[0]};
}`;

describe.skipIf(perl.missing)(`needrestart ${perl.reason}`, () => {
  const services = (names: readonly string[]) => names.map((name) => `${name}.service`);
  const own = ['drover-configure', 'drover-commission', 'drover-settle', 'drover-metadata-firewall'];
  const candidates = services([
    'dbus',
    'ssh',
    'elasticsearch',
    'actions-runner',
    'runner-agent',
    'my-elasticsearch',
    'docker',
    'containerd',
    ...own,
  ]);

  it.each([
    ['a runner with Docker', userData, ['actions-runner', 'runner-agent', 'docker', 'containerd']],
    ['a master node', nodeData('master'), ['elasticsearch']],
    ['a data node', nodeData('data'), ['elasticsearch']],
  ])('restarts no service of Drover on %s after an upgrade of a library', (_what, document, kept) => {
    const input = fileIn(document, '/etc/needrestart/conf.d/drover.conf');

    const { status, stdout, stderr } = spawnSync(perl.path, ['-e', needrestart, ...candidates], {
      input,
      encoding: 'utf8',
    });

    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.trim().split('\n')).toEqual(services(['dbus', ...kept, ...own]));
  });
});

describe.skipIf(aptConfig.missing)(`apt ${aptConfig.reason}`, () => {
  it.each([
    ['a runner', userData],
    ['a master node', nodeData('master')],
    ['a data node', nodeData('data')],
  ])('waits ten minutes for the lock of dpkg on %s, also when Puppet calls it', (_what, document) => {
    const file = join(folder, '90drover');
    writeFileSync(file, fileIn(document, '/etc/apt/apt.conf.d/90drover') ?? '');

    const { stdout } = spawnSync(aptConfig.path, ['-c', file, 'dump', 'DPkg::Lock::Timeout'], { encoding: 'utf8' });

    expect(stdout).toBe('DPkg::Lock::Timeout "600";\n');
  });

  it.each([
    [
      'does not upgrade packages by itself on a runner, where it would hold the lock in the middle of jobs',
      userData,
      '0',
    ],
    ['upgrades packages by itself on a search node, which may live for years', nodeData('data'), undefined],
  ])('%s', (_, document, periodic) => {
    const file = join(folder, '90drover');
    writeFileSync(file, fileIn(document, '/etc/apt/apt.conf.d/90drover') ?? '');

    const { stdout } = spawnSync(aptConfig.path, ['-c', file, 'dump', 'APT::Periodic::Enable'], { encoding: 'utf8' });

    expect(stdout.trim()).toBe(periodic === undefined ? '' : `APT::Periodic::Enable "${periodic}";`);
  });
});
