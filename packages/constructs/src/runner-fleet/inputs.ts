import { isTimeZone, parseCron } from '@drover/core/cron';
import { levelNames } from '@drover/core/names/platform-level';
import {
  defaults,
  defaultVendor,
  functionLogPrefix,
  groupNameMaxLength,
  type IdleTargetSchedule,
  isOlderVersion,
  latestRunner,
  oldestRunnerVersion,
  scalingModes,
} from '@drover/core/names/runner-fleet';
import { ConstructInputs } from '../inputs/construct-inputs.ts';
import {
  digits,
  flag,
  numberOrNull,
  oneOf,
  oneOfNumbers,
  recordList,
  text,
  texts,
  wholeNumber,
} from '../inputs/fields.ts';
import { instanceType, keyArn, policyArn, secretArn, securityGroupId, subnetId, version } from '../inputs/shapes.ts';
import {
  alarmFields,
  configurationFields,
  environmentField,
  machineFields,
  subnetIdsField,
  tagsField,
  vpcIdField,
} from '../inputs/shared-fields.ts';
import { names, toInputs, toProps } from '../props/runner-fleet.ts';
import { contradictions } from './contradictions.ts';
import type { RunnerFleetInputs, RunnerFleetProps } from './props.ts';
import { latestReleaseUrl, type RunnerFleetSettings, title, withDefaults } from './settings.ts';

/** The retentions that CloudWatch Logs offers (CloudWatch Logs API reference, PutRetentionPolicy). */
const retentionDays = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];
/** Without a password: user data and a function's environment are no place for one. */
const proxy = {
  pattern: /^http:\/\/[^\s/@]+$/,
  accepts: URL.canParse,
  allowed: 'an address http://HOST:PORT without user, password and path',
};
const isDate = (day: string) => !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);

/** A parameter of a template is known to CloudFormation only. */
const levelRule = (kind: keyof typeof levelNames) => ({
  pattern: new RegExp(`${levelNames[kind].pattern.source}|^\\$\\{Token`),
  allowed: levelNames[kind].expected,
});
const mostIdle = 1_000;

/** Every input of a runner fleet, by its key in a configuration file. */
export const runnerFleetFields = {
  environment: environmentField,
  platform_org: text({
    description: 'GitHub organisation that the runners belong to',
    ...levelRule('org'),
  }),
  platform_repository: text({
    description: 'repository that the runners belong to, instead of an organisation',
    ...levelRule('repo'),
  }),
  platform_enterprise: text({
    description: 'enterprise that the runners belong to, instead of an organisation',
    ...levelRule('enterprise'),
  }),
  vpc_id: vpcIdField,
  subnet_ids: subnetIdsField('subnets of the runners'),
  group_name: text({
    description: 'name of the Auto Scaling group',
    pattern: new RegExp(`^[A-Za-z0-9_-]{1,${groupNameMaxLength}}$`),
    allowed: `letters, digits, - and _, at most ${groupNameMaxLength}`,
    default: 'actions-runner-<environment>',
  }),
  platform_api: text({
    description:
      'base URL of the GitHub API; /api/v3 of a GitHub Enterprise Server, api.SUBDOMAIN.ghe.com with data residency',
    pattern: /^https?:\/\/[^\s]+[^/\s]$/,
    accepts: URL.canParse,
    allowed: 'an http(s) address without a slash at the end',
    default: 'https://api.github.com',
  }),
  platform_token_secret_arn: text({
    ...secretArn,
    description:
      'secret with a personal access token (classic) that has the scope admin:org, for a repository repo, for an enterprise manage_runners:enterprise',
  }),
  platform_app_id: digits({ description: 'id of the GitHub App that authenticates, instead of a token' }),
  platform_app_pem_secret_arn: text({
    ...secretArn,
    description: 'secret with the private key of the GitHub App (PEM)',
  }),
  lambda_subnet_ids: texts({
    ...subnetId,
    description: 'subnets of the functions; they need internet access through NAT',
    default: 'subnet_ids, if runner_subnets_private is true',
  }),
  runner_subnets_private: flag({
    description: 'the runner subnets have internet access through NAT, so that the functions can use them too',
    default: 'false',
  }),
  extra_security_group_ids: texts({
    ...securityGroupId,
    description: 'security groups of runners and functions in addition to their own',
  }),
  http_proxy: text({ ...proxy, description: 'proxy of runners and functions for http addresses' }),
  https_proxy: text({ ...proxy, description: 'proxy of runners and functions for https addresses' }),
  no_proxy: texts({
    description: 'hosts that are reached without the proxy; .example.com is all names below it',
    pattern: /^\.?[A-Za-z0-9][A-Za-z0-9.-]*$/,
    allowed: 'host names, names with a dot before them, or addresses',
  }),
  ca_certificates: text({
    description: 'certificates (PEM) of private authorities that runners and functions trust',
    pattern: /^-----BEGIN CERTIFICATE-----\s[\s\S]*-----END CERTIFICATE-----\s*$/,
    allowed: 'certificates as text (-----BEGIN CERTIFICATE-----…)',
  }),
  permissions_boundary_arn: text({
    ...policyArn,
    description: 'managed policy that is the permissions boundary of every role of the fleet',
    allowed: 'the ARN of a managed policy (arn:aws:iam::…:policy/…)',
  }),
  scaling_mode: oneOf(scalingModes, {
    description:
      'on what the fleet scales: idle keeps runners ready that take one job after the other, jobs starts a fresh machine for each job that waits',
    default: 'idle',
  }),
  asg_min_size: wholeNumber({
    least: 0,
    most: 10_000,
    description: 'minimum number of runners',
    default: 'number of subnets',
  }),
  asg_max_size: wholeNumber({
    least: 1,
    most: 10_000,
    description: 'maximum number of runners',
    default: 'asg_min_size + 1',
  }),
  idle_runners_target_count: wholeNumber({
    least: 0,
    most: mostIdle,
    description: 'number of idle runners to keep ready; 0 only with scaling_mode jobs',
    default: String(defaults.idleRunnersTargetCount),
  }),
  idle_target_schedules: recordList<IdleTargetSchedule>({
    description:
      'other idle targets from times on: each schedule holds from when its cron expression fires until another one fires',
    members: {
      cron: {
        allowed: 'minute hour day month weekday',
        accepts: (value) => typeof value === 'string' && parseCron(value) !== undefined,
      },
      time_zone: {
        allowed: 'e.g. Europe/Berlin',
        accepts: (value) => typeof value === 'string' && isTimeZone(value),
      },
      idle_runners_target_count: {
        allowed: `0 to ${mostIdle}`,
        accepts: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= mostIdle,
      },
    },
  }),
  scale_up_limit: wholeNumber({
    least: 1,
    most: 1_000,
    description:
      'most runners that one scaling decision adds while no runner is idle; never below the idle target; not with scaling_mode jobs',
    default: String(defaults.scaleUpLimit),
  }),
  allowed_drain_time: wholeNumber({
    least: 60,
    most: 172_800 - 900,
    description: 'seconds that a running job may continue once the termination of its instance has begun',
    default: String(defaults.allowedDrainTimeSeconds),
  }),
  boot_timeout: wholeNumber({
    least: 600,
    most: 6_900,
    description:
      'seconds without news from an instance that boots after which its launch is ended and counts as a failed boot; a boot that goes on may take longer',
    default: String(defaults.bootTimeoutSeconds),
  }),
  on_demand_base_capacity: numberOrNull({
    least: 0,
    most: 10_000,
    description:
      'number of on-demand instances below the spot instances; null: on-demand only, which a warm pool needs',
    default: 'null',
  }),
  on_demand_percentage_above_base: wholeNumber({
    least: 0,
    most: 100,
    description: 'percentage of on-demand instances above on_demand_base_capacity; the others are spot instances',
    default: '0',
  }),
  capacity_rebalance: flag({
    description: 'spot instances without a job are replaced when EC2 recommends it, because it may take them back soon',
    default: 'false',
  }),
  warm_pool_min_size: wholeNumber({
    least: 0,
    most: 10_000,
    description: 'minimum number of hibernated instances in the warm pool',
    default: 'idle_runners_target_count + 1, at most warm_pool_max_size',
  }),
  warm_pool_max_size: wholeNumber({
    least: 0,
    most: 10_000,
    description: 'maximum number of prepared instances, group and warm pool together; 0: no warm pool',
    default: 'asg_max_size, or no warm pool if AWS does not list image_family or instance_type for hibernation',
  }),
  instance_type: text({
    ...instanceType,
    description: 'instance type of the runners',
    default: 't3a.medium, on arm64 t4g.medium',
  }),
  instance_types: texts({
    ...instanceType,
    description:
      'several instance types, the preferred one first: another is taken when there is no capacity of it; without a warm pool',
    allowed: 'instance types, e.g. m6i.large',
  }),
  ...machineFields,
  root_volume_size: wholeNumber({
    least: 8,
    most: 16_384,
    description: 'size of the root volume in GiB; with a warm pool at least the memory + 10',
    default: '30',
  }),
  kms_key_arn: text({
    ...keyArn,
    description: 'KMS key of the volumes; its policy has to allow the service-linked role of Auto Scaling',
    default: "the account's default key for EBS",
  }),
  detailed_monitoring: flag({
    description: 'EC2 metrics of the instances every minute instead of every five, which AWS charges for by the hour',
    default: 'true; false with scaling_mode: jobs',
  }),
  cpu_credits: oneOf(['standard', 'unlimited'], {
    description: 'credits of T instances; with standard a long build is slowed down, with unlimited it costs more',
    default: "that of the account and family: unlimited for T3, T3a and T4g unless the account's default was changed",
  }),
  max_instance_lifetime_days: wholeNumber({
    least: 0,
    most: 365,
    description: 'days after which an instance is replaced, once it has no job; 0: never',
    default: '30',
  }),
  extra_labels: texts({
    description: 'labels of every runner in addition to the standard ones',
    pattern: /^[^\s,]+$/,
    allowed: 'labels without spaces and commas',
  }),
  runner_group: text({
    description: 'name of the runner group that the runners join; repositories have none',
    pattern: /^\S(.*\S)?$/,
    allowed: 'the name of a runner group',
  }),
  runner_version: text({
    description:
      'version of the runner software; latest: the newest release is mirrored and rolls through the fleet. GitHub gives no jobs to a version that is more than 30 days behind',
    accepts: (value) =>
      value === latestRunner || (version.pattern.test(value) && !isOlderVersion(value, oldestRunnerVersion)),
    allowed: `latest, or x.y.z from ${oldestRunnerVersion} on, which is the oldest version that GitHub registers`,
    default: latestRunner,
  }),
  runner_checksum: text({
    description:
      "SHA-256 of the runner's archive, from its release notes; belongs to a runner_version other than latest",
    pattern: /^(?!0{64}$)[0-9a-f]{64}$/,
    allowed: '64 hexadecimal digits in quotes, not all of them 0',
  }),
  runner_release_url: text({
    description:
      'address of the latest release of actions/runner, for runner_version latest; a mirror has the same form',
    pattern: /^https?:\/\/[^\s]+[^/\s]$/,
    accepts: URL.canParse,
    allowed: 'an http(s) address without a slash at the end',
    default: latestReleaseUrl,
  }),
  runner_release_date: text({
    description: 'day on which that version was released; adds the metric RunnerVersionAgeDays',
    pattern: /^\d{4}-\d{2}-\d{2}$/,
    accepts: isDate,
    allowed: 'a day as YYYY-MM-DD',
  }),
  docker: flag({
    description:
      "jobs have Docker, for container:, services: and Docker actions; they can use it to act with the instance's role",
    default: 'false',
  }),
  passwordless_sudo: flag({
    description: "jobs may run any command as root by sudo; they can use it to act with the instance's role",
    default: 'false',
  }),
  ...configurationFields,
  ...alarmFields,
  function_log_prefix: text({
    description: "prefix of the functions' log groups",
    pattern: /^\/?[\w./-]*[\w.-]$/,
    allowed: 'a log group prefix',
    default: functionLogPrefix,
  }),
  log_retention_days: oneOfNumbers(retentionDays, { description: 'days for which logs are kept', default: '365' }),
  vendor: text({
    description: 'first part of the metric namespace <vendor>/ActionsRunner',
    pattern: /^[A-Za-z0-9_-]+$/,
    allowed: 'letters, digits, - and _',
    default: defaultVendor,
  }),
  tags: tagsField,
} as const;

/** From the inputs of a runner fleet to its settings. */
export const runnerFleetInputs = new ConstructInputs<RunnerFleetProps, RunnerFleetInputs, RunnerFleetSettings>({
  title,
  fields: runnerFleetFields,
  names,
  toInputs,
  toProps,
  withDefaults,
  contradictions,
});
