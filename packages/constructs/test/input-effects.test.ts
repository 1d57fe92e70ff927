import { moduleVersion } from '@drover/core/names/version';
import { App, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { InputError, RunnerFleet, SearchCluster, SearchUi } from '../src/index.ts';
import { configurationFile, type Inputs } from '../src/inputs/module-inputs.test-support.ts';
import { runnerFleetFields, searchClusterFields, searchUiFields } from '../src/reference.ts';

/** A value other than the default, and inputs without which this one has no meaning. */
interface Effect {
  readonly value: unknown;
  readonly beside?: Inputs;
  /** An aspect of CDK carries it out, in a whole synthesis. */
  readonly byAspect?: true;
}
/** One for each input of a table: a new input without one is a type error. */
type Effects<Fields> = { readonly [Key in keyof Fields]: Effect };

const secret = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:other';
const key = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const policy = 'arn:aws:iam::123456789012:policy/other';
const topic = 'arn:aws:sns:eu-west-1:123456789012:other';
const certificate = 'arn:aws:acm:eu-west-1:123456789012:certificate/other';
const subnets = ['subnet-7', 'subnet-8', 'subnet-9'];
const none = { platform_org: undefined };
const spot = { on_demand_base_capacity: 1 };
const fixed = { runner_version: '2.330.0', runner_checksum: 'b'.repeat(64) };

const machines = {
  architecture: { value: 'arm64' },
  ami_id: { value: 'ami-0a1b2c3d' },
  image_family: { value: 'debian-12' },
  root_device_name: { value: '/dev/xvdz' },
};
const configuration = {
  packages: { value: ['jq'] },
  puppet_package: { value: 'openvox-agent' },
  puppet_hiera_config_path: { value: '/etc/own/hiera.yaml' },
  puppet_module_path: { value: '/etc/own/modules' },
  puppet_manifest: { value: '/etc/own/site.pp' },
  extra_files: { value: { '/etc/motd': 'hello' } },
  extra_repos: { value: { own: 'deb https://packages.example.com stable main' } },
  programs_from_packages: { value: true },
  post_runcmd: { value: ['true'] },
  extra_policies: { value: [policy] },
};
const alarms = { alarm_emails: { value: ['other@example.com'] }, alarm_topic_arns: { value: [topic] } };
const addresses = {
  vpc_id: { value: 'vpc-7' },
  subnet_ids: { value: subnets },
  zone_id: { value: 'Z7' },
  zone_name: { value: 'other.example.com' },
  vpc_cidr_block: { value: '10.7.0.0/16' },
  load_balancer_scheme: { value: 'internet-facing', beside: { allowed_cidr_blocks: ['192.0.2.0/24'] } },
  load_balancer_subnet_ids: { value: subnets },
  allowed_cidr_blocks: { value: ['192.0.2.0/24'] },
  client_security_group_ids: { value: ['sg-7'] },
  certificate_arn: { value: certificate },
  access_logs_bucket: { value: 'access-logs' },
};

const oidcProvider = 'arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com';
const cached = { cache_bucket: true, cache_repositories: ['o/r'], cache_oidc_provider_arn: oidcProvider };

const fleetEffects: Effects<typeof runnerFleetFields> = {
  environment: { value: 'other' },
  platform_org: { value: 'other' },
  platform_repository: { value: 'other/app', beside: none },
  platform_enterprise: { value: 'other', beside: none },
  vpc_id: { value: 'vpc-7' },
  subnet_ids: { value: subnets },
  group_name: { value: 'other' },
  platform_api: { value: 'https://github.example.com/api/v3' },
  platform_token_secret_arn: { value: secret },
  platform_app_id: {
    value: '7',
    beside: { platform_token_secret_arn: undefined, platform_app_pem_secret_arn: secret },
  },
  platform_app_pem_secret_arn: {
    value: secret,
    beside: { platform_token_secret_arn: undefined, platform_app_id: '7' },
  },
  lambda_subnet_ids: { value: subnets },
  runner_subnets_private: { value: true, beside: { lambda_subnet_ids: undefined } },
  s3_route_table_ids: { value: ['rtb-7'] },
  extra_security_group_ids: { value: ['sg-7'] },
  http_proxy: { value: 'http://proxy.example.com:3128' },
  https_proxy: { value: 'http://proxy.example.com:3128' },
  no_proxy: { value: ['.example.com'], beside: { https_proxy: 'http://proxy.example.com:3128' } },
  ca_certificates: { value: '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n' },
  permissions_boundary_arn: { value: policy, byAspect: true },
  scaling_mode: { value: 'jobs' },
  adaptive_windows: { value: true, beside: { scaling_mode: 'jobs' } },
  asg_min_size: { value: 4 },
  asg_max_size: { value: 11 },
  idle_runners_target_count: { value: 3 },
  idle_target_schedules: {
    value: [{ cron: '0 8 * * 1-5', time_zone: 'Europe/Berlin', idle_runners_target_count: 4 }],
  },
  scale_up_limit: { value: 7 },
  allowed_drain_time: { value: 1_800 },
  boot_timeout: { value: 3_600 },
  on_demand_base_capacity: { value: 1 },
  on_demand_percentage_above_base: { value: 50, beside: spot },
  capacity_rebalance: { value: true, beside: spot },
  on_demand_fallback: { value: true, beside: { ...spot, scaling_mode: 'jobs', asg_min_size: 0 } },
  rerun_interrupted_jobs: { value: true, beside: { ...spot, scaling_mode: 'jobs' } },
  warm_pool_min_size: { value: 3, beside: { image_family: 'ubuntu-22.04', warm_pool_max_size: 10 } },
  warm_pool_max_size: { value: 9 },
  instance_type: { value: 't3.large' },
  instance_types: { value: ['m6i.large', 'm5.large'] },
  instance_requirements: { value: { vcpu_count: { min: 2 }, memory_mib: { min: 4096 } } },
  ...machines,
  baked_image: { value: true },
  image_bake_days: { value: 7, beside: { baked_image: true } },
  root_volume_size: { value: 70 },
  kms_key_arn: { value: key },
  detailed_monitoring: { value: false },
  cpu_credits: { value: 'standard' },
  max_instance_lifetime_days: { value: 7 },
  extra_labels: { value: ['gpu'] },
  runner_group: { value: 'builders' },
  runner_version: { value: '2.331.0', beside: fixed },
  runner_checksum: { value: 'c'.repeat(64), beside: fixed },
  runner_release_url: { value: 'https://mirror.example.com/latest' },
  runner_release_date: { value: '2026-11-01' },
  docker: { value: true },
  docker_registry_mirror: { value: 'https://mirror.example.com', beside: { docker: true } },
  cache_bucket: { value: true, beside: { cache_repositories: ['o/r'], cache_oidc_provider_arn: oidcProvider } },
  cache_days: { value: 3, beside: cached },
  cache_repositories: { value: ['o/other'], beside: cached },
  cache_oidc_provider_arn: { value: oidcProvider.replace('github', 'other'), beside: cached },
  clean_between_jobs: { value: false },
  passwordless_sudo: { value: true },
  ...configuration,
  ...alarms,
  function_log_prefix: { value: '/other' },
  log_retention_days: { value: 30 },
  own_log_key: { value: false },
  vendor: { value: 'Other' },
  tags: { value: { team: 'build' }, byAspect: true },
  types: { value: { large: {} }, beside: { scaling_mode: 'jobs' } },
};

const clusterEffects: Effects<typeof searchClusterFields> = {
  cluster_name: { value: 'other' },
  environment: { value: 'other' },
  names_with_environment: { value: true },
  ...addresses,
  monitoring_cidr_block: { value: '10.7.0.0/24' },
  master_count: { value: 5 },
  data_count: { value: 6 },
  node_groups: { value: { warm: { tier: 'warm' } } },
  instance_type_master: { value: 't3.large' },
  instance_type_data: { value: 'm5.large' },
  ...machines,
  ami_release: { value: '2026-11' },
  master_volume_size: { value: 70 },
  data_volume_size: { value: 700 },
  separate_data_volume: { value: true },
  data_volume_max_size: { value: 900, beside: { separate_data_volume: true } },
  data_volume_iops: { value: 4_000 },
  data_volume_throughput: { value: 250 },
  kms_key_arn: { value: key },
  elasticsearch_version: { value: '9.1.0' },
  memory_lock: { value: true },
  heap_max_gib: { value: 20 },
  indices_recovery_max_bytes_per_sec: { value: '77mb' },
  node_left_delay: { value: '10m' },
  forced_awareness: { value: true },
  elasticsearch_settings: { value: { 'search.max_buckets': 7 } },
  elasticsearch_plugins: { value: ['analysis-icu'] },
  keystore_secrets: { value: { 's3.client.other.access_key': secret } },
  snapshot_policies: { value: {} },
  restore_drill_days: { value: 8 },
  node_certificate_days: { value: 90 },
  package_mirror: { value: 'https://mirror.example.com' },
  exporter_user: { value: 'exporter' },
  anonymous_monitoring: { value: false },
  kibana_auth: { value: 'service_token' },
  password_rotation_days: { value: 30, beside: { kibana_auth: 'service_token' } },
  rotate_elastic: { value: true, beside: { password_rotation_days: 30, kibana_auth: 'service_token' } },
  snapshot_bucket_prefix: { value: 'other-snapshots' },
  snapshot_kms_key_arn: { value: key },
  snapshot_replica_bucket: { value: 'replica-of-logs' },
  snapshot_replica_region: { value: 'eu-central-1', beside: { snapshot_replica_bucket: 'replica-of-logs' } },
  snapshot_force_destroy: { value: true },
  green_within_minutes: { value: 0 },
  max_instance_lifetime_days: { value: 7 },
  ...configuration,
  ...alarms,
  tags: { value: { team: 'build' }, byAspect: true },
};

const uiEffects: Effects<typeof searchUiFields> = {
  version: { value: '0.0.9' },
  environment: { value: 'other', byAspect: true },
  elasticsearch_url: { value: 'https://other.example.com' },
  elasticsearch_version: { value: '8.19.20' },
  kibana_system_secret_id: { value: secret },
  kibana_token_secret_id: { value: secret },
  ...addresses,
  task_security_group_ids: { value: ['sg-7'] },
  kibana_version: { value: '8.19.20' },
  kibana_image: { value: 'registry.example.com/kibana' },
  task_count: { value: 3 },
  task_cpu: { value: 2048 },
  task_memory: { value: 4096 },
  architecture: machines.architecture,
  ...alarms,
  tags: { value: { team: 'build' }, byAspect: true },
};

const examples = {
  fleet: {
    environment: 'production',
    platform_org: 'example-org',
    platform_token_secret_arn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:github-token',
    vpc_id: 'vpc-1',
    subnet_ids: ['subnet-1', 'subnet-2'],
    lambda_subnet_ids: ['subnet-3'],
    asg_max_size: 10,
    warm_pool_max_size: 0,
  },
  search: {
    environment: 'production',
    vpc_id: 'vpc-1',
    subnet_ids: ['subnet-1', 'subnet-2'],
    vpc_cidr_block: '10.0.0.0/16',
    zone_id: 'Z1',
    zone_name: 'search.example.com',
  },
};
const constructs = {
  'a runner fleet': {
    effects: fleetEffects as Readonly<Record<string, Effect>>,
    example: examples.fleet as Inputs,
    build: (scope: Construct, file: string) =>
      void new RunnerFleet(scope, 'Construct', RunnerFleet.readConfiguration(file)),
  },
  'a search cluster': {
    effects: clusterEffects as Readonly<Record<string, Effect>>,
    example: { ...examples.search, cluster_name: 'logs' } as Inputs,
    build: (scope: Construct, file: string) =>
      void new SearchCluster(scope, 'Construct', SearchCluster.readConfiguration(file)),
  },
  'the web UI': {
    effects: uiEffects as Readonly<Record<string, Effect>>,
    example: {
      ...examples.search,
      version: moduleVersion,
      elasticsearch_url: 'https://logs.search.example.com',
      elasticsearch_version: '8.19.21',
      kibana_system_secret_id: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:kibana-AbCdEf',
    } as Inputs,
    build: (scope: Construct, file: string) => void new SearchUi(scope, 'Construct', SearchUi.readConfiguration(file)),
  },
};

const withoutTracesAndCopies = { 'aws:cdk:disable-stack-trace': true, 'aws:cdk:disable-asset-staging': true };

/** Without aspects, files and assets, in a third of the time of a synthesis. */
const withoutSynthesis = (stack: Stack): unknown =>
  stack.resolve((stack as unknown as { _toCloudFormation(): unknown })._toCloudFormation());

describe.each(Object.entries(constructs))('the inputs of %s', (title, { effects, example, build }) => {
  const { file, read } = configurationFile((path) => path);
  /** The template as text, or the reason why inputs that are valid one by one are refused together. */
  const templateOf = (inputs: Inputs, byAspect = false): string => {
    read(stringify(inputs));
    const app = new App({ context: withoutTracesAndCopies });
    const stack = new Stack(app, 'stack');
    try {
      build(stack, file);
    } catch (error) {
      if (error instanceof InputError && !error.message.includes('is not allowed')) return error.message;
      throw error;
    }
    return JSON.stringify(byAspect ? app.synth().getStackByName('stack').template : withoutSynthesis(stack));
  };
  const known = new Map<Inputs | undefined, string>();
  const before = ({ beside, byAspect }: Effect) => {
    if (byAspect === true) return templateOf({ ...example, ...beside }, byAspect);
    if (!known.has(beside)) known.set(beside, templateOf({ ...example, ...beside }));
    return known.get(beside);
  };

  it(`the template of ${title} is the same for the same inputs, so that a difference comes from a changed input`, () => {
    expect(templateOf(example)).toBe(before({ value: undefined }));
  });

  it.each(Object.entries(effects))(
    `%s of ${title} changes its template, or is refused with a reason`,
    (name, given) => {
      const changed = templateOf({ ...example, ...given.beside, [name]: given.value }, given.byAspect);

      expect(changed === before(given)).toBe(false);
    },
  );

  it(`the template of ${title} is the same in whichever order its maps and their members are given`, () => {
    const names = Object.keys(maps).filter((name) => name in effects);
    const beside = 'types' in effects ? { scaling_mode: 'jobs' } : {};
    const given = { ...example, ...beside, ...Object.fromEntries(names.map((name) => [name, maps[name]])) };

    expect(templateOf(reversed(given) as Inputs, true) === templateOf(given, true)).toBe(true);
  });
});

const policyOf = (minute: number) => ({ schedule: `0 ${minute} 2 * * ?`, expire: '30d', count: 5, overdue: '2d' });

/** Every input that is a map or has maps in it. */
const maps: Inputs = {
  extra_files: { '/etc/motd': { content: 'hello', permissions: '0600' }, '/etc/issue': 'hello' },
  extra_repos: {
    own: { source: 'deb https://packages.example.com stable main', keyid: 'A'.repeat(40) },
    a: 'deb https://a.example.com stable main',
  },
  idle_target_schedules: [{ cron: '0 8 * * 1-5', time_zone: 'Europe/Berlin', idle_runners_target_count: 4 }],
  instance_requirements: { vcpu_count: { min: 2, max: 4 }, memory_mib: { min: 4096, max: 8192 } },
  node_groups: { warm: { tier: 'warm', count: 2, max_count: 4 }, cold: { volume_size: 500, tier: 'cold' } },
  elasticsearch_settings: { 'search.max_buckets': 7, 'action.destructive_requires_name': true },
  keystore_secrets: { 's3.client.b.access_key': secret, 's3.client.a.access_key': secret },
  snapshot_policies: { nightly: policyOf(5), hourly: policyOf(7) },
  tags: { team: 'build', cost: '7' },
  types: { small: { docker: true, asg_max_size: 7 }, large: { extra_files: { '/b': 'b', '/a': 'a' } } },
};

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

it('every input that takes a map is tried in two orders', () => {
  const fields = { ...runnerFleetFields, ...searchClusterFields, ...searchUiFields };
  const takesMaps = Object.entries(fields).filter(([, { allowed }]) => /\ba (list of )?maps?\b/.test(allowed));

  expect(takesMaps.map(([name]) => name).sort()).toEqual(Object.keys(maps).sort());
});
