import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { RunnerFleet } from '../index.ts';
import {
  asProps,
  type Contradiction,
  configurationFile,
  type Inputs,
  problemsOf,
  testModuleInputs,
} from '../inputs/module-inputs.test-support.ts';
import { names, toProps } from '../props/runner-fleet.ts';
import { runnerFleetFields, runnerFleetInputs } from './inputs.ts';
import type { RunnerFleetInputs, RunnerFleetProps } from './props.ts';

const valid: Inputs = {
  environment: 'production',
  platform_org: 'example-org',
  platform_token_secret_arn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:platform-token',
  vpc_id: 'vpc-1',
  subnet_ids: ['subnet-1'],
  lambda_subnet_ids: ['subnet-2'],
};

const none = { platform_token_secret_arn: undefined };

const schedule = (changes: Inputs): Inputs => ({
  cron: '0 8 * * 1-5',
  time_zone: 'Europe/Berlin',
  idle_runners_target_count: 2,
  ...changes,
});

const wrongForOne: Readonly<Record<string, readonly unknown[]>> = {
  platform_org: ['two words', 'https://github.com/org'],
  platform_repository: ['repository', 'https://github.com/a/b', 'a/b/c'],
  platform_enterprise: ['two words', 'enterprises/octo'],
  scaling_mode: ['job', 'Idle'],
  idle_target_schedules: [
    [schedule({ cron: '0 8 * *' })],
    [schedule({ cron: '60 8 * * *' })],
    [schedule({ cron: '0 8 31 2 *' })],
    [schedule({ time_zone: 'Berlin' })],
    [schedule({ idle_runners_target_count: -1 })],
    [{ ...schedule({}), until: '0 18 * * *' }],
  ],
  group_name: ['two words', 'x'.repeat(50)],
  types: [{ Large: {} }, { default: {} }, { 'large-': {} }, { ['x'.repeat(16)]: {} }, { large: null }],
  platform_api: ['github.com', 'https://api.github.com/', 'ftp://github.com', 'https://a b', 'https://x:99999'],
  platform_token_secret_arn: ['ghp_token', 'arn:aws:s3:::bucket', 'arn:aws:secretsmanager:eu-west-1:1:secret:x'],
  platform_app_id: ['app', -1, '1.5'],
  platform_app_pem_secret_arn: ['-----BEGIN RSA PRIVATE KEY-----', 'arn:aws:kms:eu-west-1:123456789012:key/x'],
  s3_route_table_ids: [['subnet-1'], 'rtb-1'],
  cache_days: [0, 366, 1.5],
  cache_repositories: [['acme'], ['acme/*']],
  cache_oidc_provider_arn: ['token.actions.githubusercontent.com', 'arn:aws:iam::1:oidc-provider/x'],
  extra_security_group_ids: [['subnet-1']],
  docker_registry_mirror: ['mirror.example.com', 'https://mirror.example.com/hub', 'ftp://mirror', 'https://x:99999'],
  http_proxy: ['proxy:3128', 'https://proxy:3128'],
  https_proxy: ['http://user:password@proxy:3128', 'http://proxy:3128/path'],
  no_proxy: [['http://x'], ['a b']],
  ca_certificates: ['/etc/ca.pem', '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----'],
  permissions_boundary_arn: ['boundary'],
  image_family: ['ubuntu', 'amazon-linux-2023'],
  root_device_name: ['sda1', '/dev/sda 1'],
  cpu_credits: ['none'],
  kms_key_arn: ['alias/aws/ebs', 'arn:aws:kms:eu-west-1:1:key/x'],
  lambda_subnet_ids: [['vpc-1']],
  log_retention_days: [2, 364],
  instance_type: ['large', 't3a.medium,t3.medium'],
  instance_types: [['large']],
  instance_requirements: [
    { vcpu_count: { min: 2 } },
    { vcpu_count: 2, memory_mib: { min: 4096 } },
    { vcpu_count: { max: 2 }, memory_mib: { min: 4096 } },
    { vcpu_count: { min: 4, max: 2 }, memory_mib: { min: 4096 } },
    { vcpu_count: { min: 2, least: 1 }, memory_mib: { min: 4096 } },
    { vcpu_count: { min: 2 }, memory_mib: { min: 4096 }, cores: 2 },
    { vcpu_count: { min: 2 }, memory_mib: { min: 4096 }, excluded_instance_types: [] },
    { vcpu_count: { min: 2 }, memory_mib: { min: 4096 }, instance_generations: ['newest'] },
    { vcpu_count: { min: 2 }, memory_mib: { min: 4096 }, burstable_performance: true },
  ],
  extra_labels: [['a b'], ['a,b']],
  runner_group: [' builders', 'builders '],
  runner_version: ['v2.330.0', '2.330', 'newest', '2.328.0'],
  runner_checksum: ['a'.repeat(63), 'A'.repeat(64), 'sha256:', '0'.repeat(64)],
  runner_release_url: ['github.com', 'https://api.github.com/', 'ftp://github.com'],
  runner_release_date: ['2026-13-01', '2026-02-30', '1.11.2026', '2026-11-01T00:00:00Z'],
  function_log_prefix: ['/aws/', 'a b'],
  vendor: ['two words'],
};

/** Members as a file spells them, which props take as well. */
const described = { vcpu_count: { min: 2 }, memory_mib: { min: 4096 } };

testModuleInputs({
  title: 'a runner fleet',
  folder: 'runner-fleet',
  fields: runnerFleetFields,
  valid,
  wrongForOne,
  contradictions: contradictoryInputs(),
  readConfiguration: RunnerFleet.readConfiguration,
  names,
  beside: {
    platform_repository: { platform_org: undefined },
    platform_enterprise: { platform_org: undefined },
    platform_app_id: { ...none, platform_app_pem_secret_arn: valid.platform_token_secret_arn },
    platform_app_pem_secret_arn: { ...none, platform_app_id: '1' },
  },
  construct: (stack, inputs) => void new RunnerFleet(stack, 'Fleet', toProps(inputs as unknown as RunnerFleetInputs)),
  settled: (inputs) => {
    const settings = runnerFleetInputs.settings(toProps(inputs as unknown as RunnerFleetInputs));
    return { ...settings, onDemandBaseCapacity: settings.spotAboveBase ?? null };
  },
});

function contradictoryInputs(): Contradiction[] {
  const pem = valid.platform_token_secret_arn;
  const all = ['platform_token_secret_arn', 'platform_app_id', 'platform_app_pem_secret_arn'];
  const jobs = { scaling_mode: 'jobs' };
  return [
    ['days of no cache', { cache_days: 3 }, 'cache_days', ['no bucket', 'cache_bucket: true'], 'file'],
    [
      'a cache without repositories',
      { cache_bucket: true, cache_oidc_provider_arn: 'arn:aws:iam::123456789012:oidc-provider/x' },
      'cache_repositories',
      ['no job may use'],
    ],
    [
      'a cache without a provider',
      { cache_bucket: true, cache_repositories: ['a/b'] },
      'cache_oidc_provider_arn',
      ['no job may use', 'images-and-caches.md'],
    ],
    [
      'a cache of too many repositories',
      {
        cache_bucket: true,
        cache_oidc_provider_arn: 'arn:aws:iam::123456789012:oidc-provider/x',
        cache_repositories: Array.from({ length: 51 }, (_, index) => `a/r${index}`),
      },
      'cache_repositories',
      ['51 repositories', 'at most 50'],
    ],
    [
      'a mirror with a login',
      { docker: true, docker_registry_mirror: 'https://user:password@mirror.example.com/hub' },
      'docker_registry_mirror',
      ['sends to no mirror', 'asks for none'],
    ],
    [
      'a mirror without Docker',
      { docker_registry_mirror: 'https://mirror.example.com' },
      'docker_registry_mirror',
      ['no Docker', 'docker: true'],
      'file',
    ],
    [
      'a mirror beside a file with it',
      {
        docker: true,
        docker_registry_mirror: 'https://mirror.example.com',
        extra_files: { '/etc/docker/daemon.json': '{}' },
      },
      'docker_registry_mirror',
      ['/etc/docker/daemon.json', 'registry-mirrors'],
    ],
    ['no level', { platform_org: undefined }, 'platform_org', ['exactly one', 'platform_repository']],
    ['two levels', { platform_repository: 'a/b' }, 'platform_org', ['one place only', 'platform_enterprise'], 'file'],
    [
      'an app for an enterprise',
      {
        platform_org: undefined,
        platform_enterprise: 'octo',
        ...none,
        platform_app_id: '1',
        platform_app_pem_secret_arn: pem,
      },
      'platform_app_id',
      ['no app', 'classic token', 'platform_token_secret_arn'],
    ],
    [
      'a runner group of a repository',
      { platform_org: undefined, platform_repository: 'a/b', runner_group: 'builders' },
      'runner_group',
      ['has no runner groups', 'platform_org'],
    ],
    [
      'no idle runners with scaling_mode idle',
      { asg_min_size: 0, idle_runners_target_count: 0 },
      'idle_runners_target_count',
      ['scaling_mode', 'for ever', 'jobs'],
    ],
    [
      'a schedule without idle runners with scaling_mode idle',
      { idle_target_schedules: [schedule({ idle_runners_target_count: 0 })] },
      'idle_target_schedules',
      ['scaling_mode', 'at least 1'],
    ],
    [
      'a schedule with more idle runners than asg_max_size',
      { asg_max_size: 3, idle_target_schedules: [schedule({ idle_runners_target_count: 4 })] },
      'idle_target_schedules',
      ['4', 'asg_max_size', '3'],
    ],
    ['scale_up_limit with scaling_mode jobs', { ...jobs, scale_up_limit: 5 }, 'scale_up_limit', ['asg_max_size']],
    ['no authentication', none, 'platform_token_secret_arn', ['no way of authentication', ...all]],
    [
      'two ways of authentication',
      { platform_app_id: '1' },
      'platform_token_secret_arn',
      ['both given', ...all],
      'file',
    ],
    ['an app without its key', { ...none, platform_app_id: 1 }, 'platform_app_pem_secret_arn', all],
    ['a key without its app', { ...none, platform_app_pem_secret_arn: pem }, 'platform_app_id', all],
    ['a version without its checksum', { runner_version: '2.330.0' }, 'runner_checksum', ['missing', 'runner_version']],
    [
      'a checksum of the newest version',
      { runner_checksum: 'a'.repeat(64) },
      'runner_checksum',
      ['without a runner_version'],
    ],
    ['the page of ghe.com', { platform_api: 'https://x.ghe.com' }, 'platform_api', ['Give https://api.x.ghe.com']],
    [
      '/api/v3 at ghe.com',
      { platform_api: 'https://x.ghe.com/api/v3' },
      'platform_api',
      ['Give https://api.x.ghe.com'],
    ],
    ['a maximum below the minimum', { asg_min_size: 5, asg_max_size: 4 }, 'asg_max_size', ['4', '5', 'asg_min_size']],
    [
      'more idle runners than asg_max_size',
      { asg_max_size: 3, idle_runners_target_count: 4 },
      'idle_runners_target_count',
      ['4', 'asg_max_size', '3'],
    ],
    [
      'warm_pool_max_size below asg_min_size',
      { asg_min_size: 5, warm_pool_max_size: 4 },
      'warm_pool_max_size',
      ['4', 'asg_min_size', '5', 'group and the pool together'],
    ],
    [
      'warm_pool_min_size together with warm_pool_max_size 0',
      { warm_pool_min_size: 2, warm_pool_max_size: 0 },
      'warm_pool_min_size',
      ['2', 'warm_pool_max_size'],
    ],
    [
      'warm_pool_min_size above warm_pool_max_size',
      { asg_max_size: 20, warm_pool_min_size: 9, warm_pool_max_size: 8 },
      'warm_pool_min_size',
      ['9', 'warm_pool_max_size', '8', 'group and the pool together'],
    ],
    [
      'warm_pool_min_size above asg_max_size, the default of warm_pool_max_size',
      { asg_max_size: 3, warm_pool_min_size: 4 },
      'warm_pool_min_size',
      ['4', '3', 'asg_max_size'],
    ],
    [
      'an Enterprise Server without subnets of the functions',
      { lambda_subnet_ids: [], platform_api: 'https://github.example.com/api/v3' },
      'lambda_subnet_ids',
      ['outside a VPC', 'https://github.example.com/api/v3', 'NAT', 'runner_subnets_private'],
    ],
    [
      'a mirror of the runner software without subnets of the functions',
      { lambda_subnet_ids: undefined, runner_release_url: 'https://mirror.example.com/latest' },
      'lambda_subnet_ids',
      ['runner_release_url https://mirror.example.com/latest', 'NAT'],
    ],
    [
      'a host that only ends like one of GitHub without subnets of the functions',
      { lambda_subnet_ids: undefined, platform_api: 'https://notgithub.com/api/v3' },
      'lambda_subnet_ids',
      ['https://notgithub.com/api/v3'],
    ],
    [
      'a proxy without subnets of the functions',
      { lambda_subnet_ids: undefined, https_proxy: 'http://proxy.example.com:3128' },
      'lambda_subnet_ids',
      ['https_proxy', 'NAT'],
    ],
    [
      'instance_type together with instance_types',
      { instance_type: 't3.medium', instance_types: ['t3.large'] },
      'instance_types',
      ['instance_type'],
    ],
    ['an empty list of instance types', { instance_types: [] }, 'instance_types', ['empty']],
    [
      'instance_types together with instance_requirements',
      { instance_types: ['t3.large', 't3a.large'], instance_requirements: described },
      'instance_requirements',
      ['instance_types is given too'],
    ],
    [
      'instance_type together with instance_requirements',
      { instance_type: 't3.large', instance_requirements: described },
      'instance_requirements',
      ['instance_type'],
    ],
    [
      'allowed and excluded instance types',
      {
        instance_requirements: {
          ...described,
          allowed_instance_types: ['m7a.*'],
          excluded_instance_types: ['m7a.xlarge'],
        },
      },
      'instance_requirements',
      ['AWS refuses'],
    ],
    [
      'allowed instance types of another architecture',
      { instance_requirements: { ...described, allowed_instance_types: ['m7g.*', 'c7g.large'] } },
      'instance_requirements',
      ['architecture'],
    ],
    [
      'cpu_credits of types that may have none',
      { instance_requirements: described, cpu_credits: 'standard' },
      'cpu_credits',
      ['instance_requirements', 'burstable_performance: required'],
    ],
    [
      'an on-demand percentage without spot',
      { on_demand_percentage_above_base: 50 },
      'on_demand_percentage_above_base',
      ['on_demand_base_capacity'],
    ],
    [
      'capacity rebalancing without spot',
      { capacity_rebalance: true },
      'capacity_rebalance',
      ['on_demand_base_capacity'],
    ],
    [
      'an architecture that the instance type does not have',
      { instance_type: 'm7g.large' },
      'architecture',
      ['m7g.large', 'arm64'],
    ],
    [
      'an architecture that one of the instance types does not have',
      { instance_types: ['m7g.large', 'm6i.large'], on_demand_base_capacity: 0, architecture: 'arm64' },
      'architecture',
      ['arm64', 'm6i.large'],
    ],
    [
      'a volume that cannot hold the memory of a hibernated instance',
      { instance_type: 'm6i.xlarge', root_volume_size: 25, image_family: 'ubuntu-22.04' },
      'root_volume_size',
      ['25', '16', 'at least 26', 'warm_pool_max_size'],
    ],
    [
      'cpu_credits of a type that has none',
      { instance_type: 'm6i.large', cpu_credits: 'standard' },
      'cpu_credits',
      ['m6i.large'],
    ],
    [
      'a data file whose package is not installed',
      { puppet_hiera_config_path: '/opt/runner-data/hiera.yaml', packages: ['git'] },
      'packages',
      ['puppet_hiera_config_path', 'runner-data'],
    ],
  ];
}

it('the default of warm_pool_min_size is not above the prepared capacity', () => {
  const { readConfiguration } = RunnerFleet;
  const { read } = configurationFile(readConfiguration);
  const sizes = { asg_max_size: 3, idle_runners_target_count: 3, image_family: 'ubuntu-22.04' };
  const props = read(stringify({ ...valid, ...sizes })) as RunnerFleetProps;

  expect(runnerFleetInputs.settings(props).warmPool).toEqual({ minSize: 3, maxPrepared: 3 });
});

it('a fleet in jobs mode may be empty and has the inputs of its level and schedules', () => {
  const { platform_org: _, ...rest } = valid;
  const inputs = { scaling_mode: 'jobs', asg_min_size: 0, asg_max_size: 9, idle_runners_target_count: 0 };
  const { read } = configurationFile(RunnerFleet.readConfiguration);
  const props = read(
    stringify({ ...rest, platform_repository: 'a/b', ...inputs, idle_target_schedules: [schedule({})] }),
  ) as RunnerFleetProps;

  expect(props.idleTargetSchedules).toEqual([
    { cron: '0 8 * * 1-5', timeZone: 'Europe/Berlin', idleRunnersTargetCount: 2 },
  ]);
  expect(runnerFleetInputs.settings(props)).toMatchObject({
    scalingMode: 'jobs',
    asgMinSize: 0,
    idleRunnersTargetCount: 0,
    mostIdle: 2,
    level: { kind: 'repo', name: 'a/b' },
  });
});

describe('the configuration file', () => {
  const { folder, file, read } = configurationFile(RunnerFleet.readConfiguration);
  const readText = (text: string) => read(text) as RunnerFleetProps;

  it('a configuration file may hold platform_app_id without quotes', () => {
    const { platform_token_secret_arn, ...rest } = valid;
    const app = { platform_app_id: 4711, platform_app_pem_secret_arn: platform_token_secret_arn };

    expect(readText(stringify({ ...rest, ...app })).credentials.appId).toBe('4711');
  });

  it('a configuration file may be JSON', () => {
    expect(readText(JSON.stringify(valid)).environment).toBe('production');
  });

  it('an input without a value in a configuration file is refused with the advice to leave it out', () => {
    const { problems } = problemsOf(() => readText(`${stringify(valid)}ami_id:\n`));

    expect(problems).toEqual([
      { key: 'ami_id', problem: 'null is not allowed', remedy: 'Give an image id (ami-…), or leave it out' },
    ]);
  });

  it('every problem of a configuration file names the file', () => {
    expect(problemsOf(() => readText('environment: production\n')).message).toContain(file);
    expect(problemsOf(() => readText(stringify({ ...valid, no_proxy: ['example.com'] }))).message).toContain(file);
  });

  it.each([
    ['an empty file', '', 'it holds nothing, not a map of inputs'],
    ['a list', '- environment: production\n', 'it holds a list, not a map of inputs'],
    ['a text', 'production\n', 'it holds a string, not a map of inputs'],
    ['a key twice', 'environment: a\nenvironment: b\n', 'it is not YAML or JSON: Map keys must be unique at line 2'],
    ['an open bracket', 'subnet_ids: [a\n', 'it is not YAML or JSON: Flow sequence in block collection'],
  ])('a configuration file is refused as %s', (_, text, problem) => {
    const { problems } = problemsOf(() => readText(text));

    expect(problems).toHaveLength(1);
    expect(problems[0]?.key).toBe(file);
    expect(problems[0]?.problem).toContain(problem);
    expect(problems[0]?.remedy).not.toBe('');
  });

  it('a configuration file that cannot be read is refused', () => {
    const missing = join(folder, 'missing.yaml');

    expect(problemsOf(() => RunnerFleet.readConfiguration(missing)).message).toMatch(
      /missing\.yaml: it cannot be read \(ENOENT.*\)\. Check its path/,
    );
    expect(problemsOf(() => RunnerFleet.readConfiguration(folder)).message).toContain('EISDIR');
  });
});

it('a flat prop instead of its object is refused with the name of the object', () => {
  const props = {
    ...toProps(asProps(valid) as unknown as RunnerFleetInputs),
    platformOrg: 'example-org',
    vpcId: 'vpc-1',
  };
  const { problems } = problemsOf(() => runnerFleetInputs.settings(props));

  expect(problems.map(({ key, remedy }) => `${key}: ${remedy}`)).toEqual([
    'platformOrg: Give GitHubLevel.organization',
    'vpcId: Give network.vpcId',
  ]);
});
