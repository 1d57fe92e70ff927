import { defaults, defaultVendor, functionLogPrefix, groupNameMaxLength } from '@drover/core/names/runner-fleet';
import {
  flag,
  numberOrNull,
  oneOf,
  type PropsOf,
  requiredText,
  requiredTexts,
  text,
  textMap,
  texts,
  wholeNumber,
} from '../inputs/fields.ts';

const arn = { pattern: /^arn:|^\$\{Token/, allowed: 'an ARN' };
const subnetId = { pattern: /^subnet-|^\$\{Token/, allowed: 'subnet ids (subnet-…)' };

/** Every input of a runner fleet, by the specification's name. */
export const runnerFleetFields = {
  environment: requiredText({
    description: 'name of the environment, e.g. production',
    pattern: /^[A-Za-z0-9_-]{1,32}$|^\$\{Token/,
    allowed: 'letters, digits, - and _, at most 32',
  }),
  platform_org: requiredText({
    description: 'the organisation on the code hosting platform',
    pattern: /^[A-Za-z0-9-]+$/,
    allowed: 'an organisation name',
  }),
  vpc_id: requiredText({
    description: 'the VPC of the subnets',
    pattern: /^vpc-|^\$\{Token/,
    allowed: 'a VPC id (vpc-…)',
  }),
  subnet_ids: requiredTexts({ ...subnetId, description: 'subnets of the runners' }),
  group_name: text({
    description: 'name of the Auto Scaling group',
    pattern: new RegExp(`^[A-Za-z0-9_-]{1,${groupNameMaxLength}}$`),
    allowed: `letters, digits, - and _, at most ${groupNameMaxLength}`,
    default: 'actions-runner-<environment>',
  }),
  platform_api: text({
    description: "address of the platform's API; an Enterprise Server's /api/v3 works",
    pattern: /^https?:\/\/[^\s]+[^/]$/,
    allowed: 'an http(s) address without a slash at the end',
    default: 'https://api.github.com',
  }),
  platform_token_secret_arn: text({
    ...arn,
    description: 'secret that holds a personal token with the scope admin:org',
  }),
  platform_app_id: text({ description: 'id of the app that authenticates', pattern: /^\d+$/, allowed: 'digits' }),
  platform_app_pem_secret_arn: text({ ...arn, description: "secret that holds the app's private key (PEM)" }),
  lambda_subnet_ids: texts({
    ...subnetId,
    description: 'subnets of the functions; they need a way out through NAT',
    default: 'subnet_ids, if runner_subnets_private is true',
  }),
  runner_subnets_private: flag({
    description: 'the runner subnets have a way out through NAT, so the functions may use them too',
    default: 'false',
  }),
  asg_min_size: wholeNumber({ least: 0, most: 10_000, description: 'fewest runners', default: 'number of subnets' }),
  asg_max_size: wholeNumber({ least: 1, most: 10_000, description: 'most runners', default: 'asg_min_size + 1' }),
  idle_runners_target_count: wholeNumber({
    least: 1,
    most: 1_000,
    description: 'idle runners to keep ready',
    default: String(defaults.idleRunnersTargetCount),
  }),
  allowed_drain_time: wholeNumber({
    least: 60,
    most: 172_800 - 900,
    description: 'seconds that a running job may go on after its instance is to be terminated',
    default: String(defaults.allowedDrainTimeSeconds),
  }),
  on_demand_base_capacity: numberOrNull({
    least: 0,
    most: 10_000,
    description: 'on-demand instances below the spot ones; null: on-demand only, which a warm pool needs',
    default: 'null',
  }),
  warm_pool_min_size: wholeNumber({
    least: 0,
    most: 10_000,
    description: 'fewest hibernated instances',
    default: 'idle_runners_target_count + 1',
  }),
  warm_pool_max_size: wholeNumber({
    least: 0,
    most: 10_000,
    description: 'most prepared instances, group plus pool; 0: no warm pool',
    default: 'asg_max_size',
  }),
  instance_type: text({
    description: 'instance type',
    pattern: /^[a-z0-9-]+\.[a-z0-9-]+$/,
    allowed: 'an instance type',
    default: 't3a.medium',
  }),
  instance_types: texts({
    description: 'several instance types for spot capacity',
    pattern: /^[a-z0-9-]+\.[a-z0-9-]+$/,
    allowed: 'instance types',
  }),
  architecture: oneOf(['x86_64', 'arm64'], { description: 'processor of the instances', default: 'x86_64' }),
  ami_id: text({
    description: 'image of the instances',
    pattern: /^ami-|^\$\{Token/,
    allowed: 'an image id (ami-…)',
    default: "Canonical's current Ubuntu 24.04 by public SSM parameter",
  }),
  root_volume_size: wholeNumber({
    least: 8,
    most: 16_384,
    description: 'GiB of the root volume; with a warm pool at least RAM + 10',
    default: '30',
  }),
  max_instance_lifetime_days: wholeNumber({
    least: 0,
    most: 365,
    description: 'an instance is replaced after so many days; 0: never',
    default: '30',
  }),
  extra_labels: texts({
    description: 'labels of every runner beside its own',
    pattern: /^[^\s,]+$/,
    allowed: 'labels without blanks and commas',
  }),
  runner_group: text({ description: 'runner group that the runners join', pattern: /^\S.*$/ }),
  runner_version: requiredText({
    description: 'version of the runner software; one that is over 30 days behind gets no jobs',
    pattern: /^\d+\.\d+\.\d+$/,
    allowed: 'x.y.z',
  }),
  runner_checksum: requiredText({
    description: "SHA-256 of the runner's archive, from its release notes",
    pattern: /^[0-9a-f]{64}$/,
    allowed: '64 hexadecimal digits',
  }),
  runner_release_date: text({
    description: "day on which that version was released: gives the alarm on the runner's age",
    pattern: /^\d{4}-\d{2}-\d{2}$/,
    allowed: 'YYYY-MM-DD',
  }),
  packages: texts({ description: 'packages to install before the configuration agent runs' }),
  puppet_hiera_config_path: text({
    description: 'path of the configuration data file',
    pattern: /^\//,
    allowed: 'an absolute path',
    default: '/opt/drover/puppet/hiera.yaml',
  }),
  puppet_module_path: text({
    description: 'path of the Puppet modules',
    pattern: /^\//,
    allowed: 'an absolute path',
    default: '/opt/drover/puppet/modules',
  }),
  puppet_manifest: text({
    description: 'manifest that is applied',
    pattern: /^\//,
    allowed: 'an absolute path',
    default: '/opt/drover/puppet/manifests/site.pp',
  }),
  extra_files: textMap({ description: 'files to write before the configuration agent runs: path to content' }),
  extra_repos: textMap({ description: 'package repositories: name to apt source line' }),
  post_runcmd: texts({ description: 'commands to run after the configuration agent' }),
  extra_policies: texts({ ...arn, description: 'managed policies for the instance role' }),
  alarm_emails: texts({
    description: 'addresses that get the alarms',
    pattern: /^[^@\s]+@[^@\s]+$/,
    allowed: 'e-mail addresses',
  }),
  alarm_topic_arns: texts({ ...arn, description: 'topics that get the alarms' }),
  function_log_prefix: text({
    description: "prefix of the functions' log groups",
    pattern: /^\/?[\w./-]*[\w.-]$/,
    allowed: 'a log group prefix',
    default: functionLogPrefix,
  }),
  log_retention_days: wholeNumber({ least: 1, most: 3_653, description: 'days that logs are kept', default: '365' }),
  vendor: text({
    description: 'gives the metric namespace <vendor>/ActionsRunner',
    pattern: /^[A-Za-z0-9_-]+$/,
    allowed: 'letters, digits, - and _',
    default: defaultVendor,
  }),
  tags: textMap({ description: 'tags on everything' }),
} as const;

/** Props of `RunnerFleet`; docs/CONFIGURATION.md describes each. */
export type RunnerFleetProps = PropsOf<typeof runnerFleetFields>;
