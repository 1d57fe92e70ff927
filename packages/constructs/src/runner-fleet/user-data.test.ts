import { describe, expect, it } from 'vitest';
import { instanceFacts, readFacts, readUserData } from '../boot/user-data.test-support.ts';
import { userDataLimitBytes } from '../boot/user-data-size.ts';
import { runnerFleetInputs } from './inputs.ts';
import type { RunnerFleetProps } from './props.ts';
import { runnerUserData } from './user-data.ts';

const secretArn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:platform-token';
const inputs: RunnerFleetProps = {
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
const textOf = (change: Partial<RunnerFleetProps> = {}) =>
  runnerUserData(runnerFleetInputs.settings({ ...inputs, ...change }), instanceFacts);
const documentOf = (change?: Partial<RunnerFleetProps>) => readUserData(textOf(change));
const factsOf = (change?: Partial<RunnerFleetProps>) => readFacts(textOf(change));

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
    });
  });

  it("user data of a runner has the agent's configuration in the fact actions_runner", () => {
    expect(factsOf({ extraLabels: ['gpu'], runnerGroup: 'builders' }).actions_runner).toMatchObject({
      autoscaling_group_name: 'actions-runner-production',
      region: 'eu-west-1',
      platform_url: 'https://github.com/example-org',
      extra_labels: ['gpu'],
      runner_group: 'builders',
      runner_version: '2.330.0',
      runner_checksum: 'a'.repeat(64),
    });
  });

  it('user data of a runner has the site of a GitHub Enterprise Server as the address to register at', () => {
    const facts = factsOf({ platformApi: 'https://git.example.com/api/v3' });

    expect(facts.actions_runner.platform_url).toBe('https://git.example.com/example-org');
  });

  it('user data of a runner contains neither a secret nor the ARN of one', () => {
    const text = textOf();

    expect(text).not.toContain(secretArn);
    expect(text).not.toMatch(/platform-token|ghp_|BEGIN [A-Z ]*PRIVATE KEY/);
  });

  it('user data of a runner lists Puppet and each chosen package once', () => {
    expect(documentOf({ packages: ['my-data', 'puppet'] }).packages).toEqual(['puppet', 'my-data']);
  });

  it('post_runcmd of a runner does not run when the boot script failed', () => {
    const { runcmd } = documentOf({ postRuncmd: ['echo ready'] });

    expect(runcmd).toEqual(['python3 /opt/drover/boot.py || exit 1', 'echo ready']);
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
    const extraFiles = Object.fromEntries(tricky.map((content, index) => [`/etc/x/${index}`, content]));

    const { write_files, runcmd } = documentOf({ extraFiles, postRuncmd: tricky });

    expect(write_files.slice(4).map(({ content }) => content)).toEqual(tricky);
    expect(runcmd.slice(1)).toEqual(tricky);
  });

  it('user data of a runner leaves 5 KB for extra_files with the longest names', () => {
    const text = textOf({
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

    expect(Buffer.byteLength(text)).toBeLessThan(userDataLimitBytes - 4 * 1024);
  });

  it('user data that is too large for EC2 stops the synthesis with its size', () => {
    expect(() => textOf({ extraFiles: { '/etc/long': 'x'.repeat(20_000) } })).toThrow(
      /extra_files: the user data would have \d+ bytes, \d+ more than EC2 takes/,
    );
  });
});
