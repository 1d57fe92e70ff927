import { createHash } from 'node:crypto';
import { Lazy } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { commandsIn, instanceFacts, readDocument, readFacts, readUserData } from '../boot/user-data.test-support.ts';
import { userDataLimitBytes } from '../boot/user-data-size.ts';
import { toProps } from '../props/runner-fleet.ts';
import { runnerFleetInputs } from './inputs.ts';
import type { RunnerFleetInputs } from './props.ts';
import { runnerUserData } from './user-data.ts';

const secretArn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:platform-token';
const inputs: RunnerFleetInputs = {
  environment: 'production',
  platformOrg: 'example-org',
  platformTokenSecretArn: secretArn,
  vpcId: 'vpc-1',
  subnetIds: ['subnet-1'],
  lambdaSubnetIds: ['subnet-2'],
  runnerVersion: '2.330.0',
  runnerChecksum: 'a'.repeat(64),
};

const { software } = instanceFacts;
const reports = 'memory/hosts/arn:aws:ec2:eu-west-1:123456789012:instance/';
const textOf = (change: Partial<RunnerFleetInputs> = {}, facts = instanceFacts, ownGroup?: string) =>
  runnerUserData(runnerFleetInputs.settings(toProps({ ...inputs, ...change })), facts, {
    bucket: 'memory',
    reports: reports.replace('memory/', ''),
    logGroup: '/drover/runners/x',
    release: 'runner/current.json',
    ...(ownGroup === undefined ? {} : { ownGroup }),
  });
/** Spot instances beside an on-demand group. */
const spot: Partial<RunnerFleetInputs> = {
  scalingMode: 'jobs',
  asgMinSize: 0,
  warmPoolMaxSize: 0,
  instanceTypes: ['m7a.large', 'm6a.large'],
  onDemandBaseCapacity: 0,
  onDemandFallback: true,
};
const documentOf = (change?: Partial<RunnerFleetInputs>) => readUserData(textOf(change));
const factsOf = (change?: Partial<RunnerFleetInputs>) => readFacts(textOf(change));

describe('user data of a runner', () => {
  it('user data of a runner has the facts for the boot script and Puppet', () => {
    expect(factsOf({ packages: ['jq'] }).drover).toEqual({
      module_version: '1.2.3',
      role: 'actions_runner',
      environment: 'production',
      region: 'eu-west-1',
      packages: ['jq'],
      software,
      puppet: {
        hiera_config: '/opt/drover/puppet/hiera.yaml',
        module_path: '/opt/drover/puppet/modules',
        manifest: '/opt/drover/puppet/manifests/site.pp',
      },
      launch: {
        autoscaling_group_name: 'actions-runner-production',
        hook: 'bootstrap',
        endpoint: 'https://autoscaling.eu-west-1.amazonaws.com/',
      },
      logs: { group: '/drover/runners/x', endpoint: 'https://logs.eu-west-1.amazonaws.com/' },
    });
  });

  it("user data of a runner has the agent's configuration in the fact actions_runner", () => {
    expect(factsOf({ extraLabels: ['gpu'], runnerGroup: 'builders' }).actions_runner).toMatchObject({
      autoscaling_group_name: 'actions-runner-production',
      region: 'eu-west-1',
      platform_url: 'https://github.com/example-org',
      extra_labels: ['gpu'],
      runner_group: 'builders',
      host_reports: reports,
      log_group: '/drover/runners/x',
      metric_namespace: 'Drover/ActionsRunner',
      runner_version: '2.330.0',
      runner_checksum: 'a'.repeat(64),
    });
  });

  it('user data of a runner names the mirror instead of a version when it follows the releases', () => {
    const { drover, actions_runner } = factsOf({ runnerVersion: undefined, runnerChecksum: undefined });

    expect(drover.mirror).toEqual({
      bucket: 'https://s3.eu-west-1.amazonaws.com/memory',
      object: 'runner/current.json',
    });
    expect(Object.keys(actions_runner)).not.toContain('runner_version');
  });

  it.each([
    ['an Enterprise Server', 'https://git.example.com/api/v3', 'https://git.example.com/example-org'],
    ['GitHub with data residency (ghe.com)', 'https://api.octo.ghe.com', 'https://octo.ghe.com/example-org'],
  ])('user data of a runner names the organisation at %s by its page, not by the API', (_, platformApi, page) => {
    expect(factsOf({ platformApi }).actions_runner.platform_url).toBe(page);
  });

  it('user data of a runner contains neither a secret nor the ARN of one', () => {
    const text = textOf();

    expect(text).not.toContain(secretArn);
    expect(text).not.toMatch(/platform-token|ghp_|BEGIN [A-Z ]*PRIVATE KEY/);
  });

  it('user data of a runner lists Puppet and each chosen package once', () => {
    expect(documentOf({ packages: ['my-data', 'puppet'] }).packages).toEqual(['puppet', 'my-data']);
  });

  it('user data of a runner whose image is baked lists no packages, for cloud-init would run apt at each boot', () => {
    const [without, baked] = [documentOf({ packages: ['jq'] }), documentOf({ packages: ['jq'], bakedImage: true })];
    const { package_update, packages, ...rest } = without as typeof without & { package_update?: boolean };

    expect([package_update, packages]).toEqual([true, ['puppet', 'jq']]);
    expect(Object.keys(baked)).toEqual(Object.keys(rest));
  });

  it('user data of a runner whose image is baked leaves it to the image to take a release of the mirror', () => {
    const latest = { runnerVersion: undefined, runnerChecksum: undefined };
    const { drover } = factsOf({ ...latest, bakedImage: true });

    expect(drover).toMatchObject({ baked_image: { mirror: factsOf(latest).drover.mirror } });
    expect(drover.mirror).toBeUndefined();
    expect(factsOf({ bakedImage: true }).drover.baked_image).toEqual({});
    expect(factsOf().drover.baked_image).toBeUndefined();
  });

  it('post_runcmd of a runner is run by the boot script, in a file that only root can read', () => {
    const text = textOf({ postRuncmd: ['echo ready'] });

    expect(readUserData(text).runcmd).toEqual(['python3 /opt/drover/boot.py']);
    expect(readUserData(text).write_files.at(-1)).toEqual({
      path: '/opt/drover/post-runcmd.json',
      permissions: '0600',
      content: '["echo ready"]',
    });
  });

  it('user data of a runner gives the proxy to boot script, services and apt, but for the metadata service', () => {
    const change = {
      httpProxy: 'http://proxy:3128',
      httpsProxy: 'http://proxy:3129',
      noProxy: ['.x.org', 'apt.x.org'],
    };
    const apt = documentOf(change).write_files.find(({ path }) => path === '/etc/apt/apt.conf.d/90drover')!;

    expect(factsOf(change).drover).toMatchObject({
      variables: {
        HTTP_PROXY: 'http://proxy:3128',
        https_proxy: 'http://proxy:3129',
        no_proxy: 'localhost,127.0.0.1,169.254.169.254,fd00:ec2::254,.x.org,apt.x.org',
        NODE_USE_ENV_PROXY: '1',
      },
    });
    expect(apt.content).toContain(
      'Acquire::http::Proxy "http://proxy:3128";\nAcquire::http::Proxy::apt.x.org "DIRECT";\nAcquire::https::Proxy "http://proxy:3129";',
    );
    expect(textOf()).not.toMatch(/proxy/i);
  });

  it('user data of a runner has private certificates for the store of the system, and Node reads that store', () => {
    const caCertificates = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
    const document = documentOf({ caCertificates }) as unknown as { ca_certs: object };

    expect(document.ca_certs).toEqual({ trusted: [caCertificates] });
    expect(factsOf({ caCertificates }).drover).toMatchObject({
      variables: { NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt' },
    });
  });

  it('docker and passwordless_sudo reach Puppet as facts, and are off by default', () => {
    expect(factsOf().actions_runner).not.toHaveProperty('docker');
    expect(factsOf().actions_runner).not.toHaveProperty('passwordless_sudo');
    expect(factsOf({ docker: true, passwordlessSudo: true }).actions_runner).toMatchObject({
      docker: true,
      passwordless_sudo: true,
    });
  });

  it('docker_registry_mirror reaches Puppet as a fact of instances with Docker', () => {
    const dockerRegistryMirror = 'http://mirror.example.com:5000';

    expect(factsOf({ docker: true, dockerRegistryMirror }).actions_runner).toMatchObject({
      docker_registry_mirror: dockerRegistryMirror,
    });
    expect(factsOf({ docker: true }).actions_runner).not.toHaveProperty('docker_registry_mirror');
  });

  it('a runner whose programs come from packages gets their version, others do not', () => {
    expect(factsOf({ programsFromPackages: true }).drover.program_version).toBe('1.2.3');
    expect(factsOf().drover).not.toHaveProperty('program_version');
    const unreleased = { ...instanceFacts, moduleVersion: '0.2.0-dev' };
    const { drover } = readFacts(textOf({ programsFromPackages: true }, unreleased));
    expect(drover).toMatchObject({ module_version: '0.2.0-dev', program_version: '0.2.0~dev' });
  });

  it('a runner with Docker keeps the daemon from being restarted by an upgrade of a library', () => {
    const file = documentOf({ docker: true }).write_files.find(({ path }) => path.includes('needrestart'))!;

    for (const name of ['actions-runner', 'runner-agent', 'docker', 'containerd'])
      expect(file.content).toContain(`{qr(^${name}\\.service$)} = 0;`);
  });

  it('extra_repos of a runner have the key that signs them, as text or from a key server', () => {
    const key = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQENBF\n-----END PGP PUBLIC KEY BLOCK-----\n';
    const source = 'deb [signed-by=$KEY_FILE] https://apt.example.com noble main';
    const byId = { source, keyid: '9DC858229FC7DD38854AE2D88D81803C0EBFCD88', keyserver: 'keys.example.com' };

    const { apt } = documentOf({ extraRepos: { plain: source, own: { source, key }, fetched: byId } });

    expect(apt!.sources).toEqual({ plain: { source }, own: { source, key }, fetched: byId });
  });

  it.each([
    ['a key that is no armored text', { source: 'deb x', key: 'mQENBF' }],
    ['no source', { key: 'x' }],
    ['a key server without a key id', { source: 'deb x', keyserver: 'keys.example.com' }],
    ['a member that does not exist', { source: 'deb x', priority: '900' }],
  ])('extra_repos with %s are refused', (_, repo) => {
    expect(() => textOf({ extraRepos: { own: repo as { source: string } } })).toThrow(
      /extraRepos: .* is not allowed. Give a map of names to texts, or maps of source, key, keyid, keyserver/,
    );
  });

  it('extra_files of a runner have the permissions and the owner that are given', () => {
    const { write_files } = documentOf({
      extraFiles: {
        '/etc/plain': 'a',
        '/etc/secret': { content: 'b', permissions: '0600' },
        '/srv/own': { content: '', owner: 'www-data:adm', permissions: '0640' },
      },
    });

    expect(write_files.slice(4)).toEqual([
      { path: '/etc/plain', content: 'a' },
      { path: '/etc/secret', content: 'b', permissions: '0600' },
      // Written when packages have made their users.
      { path: '/srv/own', content: '', owner: 'www-data:adm', permissions: '0640', defer: true },
    ]);
  });

  it.each([
    ['permissions as a number', { content: 'a', permissions: 644 }],
    ['permissions that are not octal', { content: 'a', permissions: '0689' }],
    ['no content', { permissions: '0600' }],
  ])('extra_files with %s are refused', (_, file) => {
    expect(() => textOf({ extraFiles: { '/etc/x': file as { content: string } } })).toThrow(
      /extraFiles: .* is not allowed/,
    );
  });

  it('user data compresses long files, and leaves those with values that are filled in at deployment as they are', () => {
    const long = 'a line of a long file\n'.repeat(2_000);
    const filledIn = `${Lazy.string({ produce: () => 'x' })}\n`.repeat(20);

    const files = readDocument(textOf({ extraFiles: { '/etc/long': long, '/etc/filled-in': filledIn } })).write_files;

    const written = (path: string) => files.find((file) => file.path === path)!;
    expect(written('/etc/long').encoding).toBe('gz+b64');
    expect(written('/opt/drover/boot.py').encoding).toBe('gz+b64');
    expect(written('/etc/filled-in')).toEqual({ path: '/etc/filled-in', content: filledIn });
    expect(readUserData(textOf({ extraFiles: { '/etc/long': long } })).write_files.at(-1)!.content).toBe(long);
  });

  it('extra_files and post_runcmd reach a runner unchanged, also texts with a meaning in YAML', () => {
    const tricky = [
      'on',
      'no',
      '12:30:00',
      '0o17',
      '017',
      '1_000',
      '~',
      '- a',
      '# not a comment',
      'ends with\n\n',
      'ü ',
    ];
    const extraFiles = Object.fromEntries(tricky.map((content, index) => [`/etc/x/${index + 10}`, content]));

    const text = textOf({ extraFiles, postRuncmd: tricky });

    expect(
      readUserData(text)
        .write_files.slice(5)
        .map(({ content }) => content),
    ).toEqual(tricky);
    expect(commandsIn(text)).toEqual(tricky);
  });

  it.each([
    ['spot with a fallback', spot, undefined, true],
    ['the fallback itself', spot, 'actions-runner-production-od', false],
    ['spot alone', { ...spot, onDemandFallback: false }, undefined, false],
    ['on demand', {}, undefined, false],
  ])('whether an instance says while it boots that EC2 takes it back: %s', (_, change, ownGroup, expected) => {
    const document = readUserData(textOf(change, instanceFacts, ownGroup));

    expect(document.write_files.some(({ path }) => path === '/opt/drover/spot-notice.py')).toBe(expected);
    expect(document.bootcmd.some((line) => line.includes('exec python3 /opt/drover/spot-notice.py'))).toBe(expected);
  });

  it.each([
    [7, {}],
    [6, spot],
  ])('user data of a runner leaves %d KB for extra_files with the longest names', (kibibytes, change) => {
    const text = textOf({
      ...change,
      environment: 'e'.repeat(32),
      groupName: 'g'.repeat(49),
      platformOrg: 'o'.repeat(39),
      platformApi: `https://${'h'.repeat(60)}.example.com/api/v3`,
      runnerGroup: 'r'.repeat(64),
      extraLabels: Array.from({ length: 20 }, (_, index) => `label-${'l'.repeat(20)}-${index}`),
      packages: Array.from({ length: 20 }, (_, index) => `package-${'p'.repeat(20)}-${index}`),
      puppetHieraConfigPath: `/etc/${'h'.repeat(200)}/hiera.yaml`,
      puppetModulePath: `/etc/${'m'.repeat(200)}`,
      puppetManifest: `/etc/${'s'.repeat(200)}.pp`,
    });

    expect(Buffer.byteLength(text)).toBeLessThan(userDataLimitBytes - kibibytes * 1024);
  });

  it('user data that is too large for EC2 stops the synthesis with its size', () => {
    // Text that does not get shorter by much.
    const noise = Array.from({ length: 400 }, (_, index) =>
      createHash('sha256').update(`${index}`).digest('hex'),
    ).join();

    expect(() => textOf({ extraFiles: { '/etc/long': noise } })).toThrow(
      /extra_files: the user data would have \d+ bytes with its files compressed, \d+ more than EC2 takes/,
    );
  });
});
