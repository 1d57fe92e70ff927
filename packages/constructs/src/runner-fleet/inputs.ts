import { isTimeZone, parseCron } from '@drover/core/cron';
import { levelNames } from '@drover/core/names/platform-level';
import {
  groupNameMaxLength,
  type IdleTargetSchedule,
  isOlderVersion,
  latestRunner,
  oldestRunnerVersion,
  scalingModes,
  typeNameMaxLength,
} from '@drover/core/names/runner-fleet';
import { ConstructInputs } from '../inputs/construct-inputs.ts';
import {
  digits,
  flag,
  oneOf,
  oneOfNumbers,
  recordList,
  tableMap,
  text,
  texts,
  wholeNumber,
  wholeNumberOr,
} from '../inputs/fields.ts';
import { instanceRequirementsField } from '../inputs/instance-requirements.ts';
import {
  instanceType,
  keyArn,
  policyArn,
  routeTableId,
  secretArn,
  securityGroupId,
  subnetId,
  version,
} from '../inputs/shapes.ts';
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
import { title } from './settings.ts';
import type { RunnerTypeProps } from './types/type-props.ts';
import { type FleetSettings, withTypes } from './types/type-settings.ts';

/** The retentions that CloudWatch Logs offers (CloudWatch Logs API reference, PutRetentionPolicy). */
const retentionDays = oneOfNumbers(
  ...[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653],
);
/** Without a password: user data and a function's environment are no place for one. */
const proxy = {
  pattern: /^http:\/\/[^\s/@]+$/,
  accepts: URL.canParse,
  allowed: 'an address http://HOST:PORT without user, password and path',
};
const httpAddress = {
  pattern: /^https?:\/\/[^\s]+[^/\s]$/,
  accepts: URL.canParse,
  allowed: 'an http(s) address without a slash at the end',
};
/** With a login it is refused for that alone, in words that do not repeat it. */
const registryMirror = {
  pattern: /^https?:\/\/(\S*@\S*|[^\s/@?#]+)$/,
  accepts: URL.canParse,
  allowed: 'an address https://HOST or http://HOST:PORT without a path',
};
const isDate = (day: string) => !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);

/** A parameter of a template is known to CloudFormation only. */
const level = (kind: keyof typeof levelNames) =>
  text({
    pattern: new RegExp(`${levelNames[kind].pattern.source}|^\\$\\{Token`),
    allowed: levelNames[kind].expected,
  });
const idleTarget = wholeNumber(0, 1_000);

/** Every input of a runner fleet, by its key in a configuration file. */
export const runnerFleetFields = {
  environment: environmentField,
  platform_org: level('org'),
  platform_repository: level('repo'),
  platform_enterprise: level('enterprise'),
  vpc_id: vpcIdField,
  subnet_ids: subnetIdsField('subnets of the runners'),
  group_name: text({
    pattern: new RegExp(`^[A-Za-z0-9_-]{1,${groupNameMaxLength}}$|^\\$\\{Token`),
    allowed: `letters, digits, - and _, at most ${groupNameMaxLength}`,
  }),
  platform_api: text(httpAddress),
  platform_token_secret_arn: text(secretArn),
  platform_app_id: digits,
  platform_app_pem_secret_arn: text(secretArn),
  lambda_subnet_ids: texts(subnetId),
  runner_subnets_private: flag,
  s3_route_table_ids: texts(routeTableId),
  extra_security_group_ids: texts(securityGroupId),
  http_proxy: text(proxy),
  https_proxy: text(proxy),
  no_proxy: texts({
    pattern: /^\.?[A-Za-z0-9][A-Za-z0-9.-]*$/,
    allowed: 'host names, names with a dot before them, or addresses',
  }),
  ca_certificates: text({
    pattern: /^-----BEGIN CERTIFICATE-----\s[\s\S]*-----END CERTIFICATE-----\s*$/,
    allowed: 'certificates as text (-----BEGIN CERTIFICATE-----…)',
  }),
  permissions_boundary_arn: text({
    ...policyArn,
    allowed: 'the ARN of a managed policy (arn:aws:iam::…:policy/…)',
  }),
  scaling_mode: oneOf(...scalingModes),
  adaptive_windows: flag,
  asg_min_size: wholeNumber(0, 10_000),
  asg_max_size: wholeNumber(1, 10_000),
  idle_runners_target_count: idleTarget,
  idle_target_schedules: recordList<IdleTargetSchedule>({
    cron: {
      allowed: 'minute hour day month weekday',
      accepts: (value) => typeof value === 'string' && parseCron(value) !== undefined,
    },
    time_zone: {
      allowed: 'e.g. Europe/Berlin',
      accepts: (value) => typeof value === 'string' && isTimeZone(value),
    },
    idle_runners_target_count: {
      allowed: `0 to ${idleTarget.range?.most}`,
      accepts: (value) => idleTarget.parse(value) !== undefined,
    },
  }),
  scale_up_limit: wholeNumber(1, 1_000),
  allowed_drain_time: wholeNumber(60, 172_800 - 900),
  boot_timeout: wholeNumber(600, 6_900),
  on_demand_base_capacity: wholeNumberOr(null, 0, 10_000),
  on_demand_percentage_above_base: wholeNumber(0, 100),
  capacity_rebalance: flag,
  on_demand_fallback: flag,
  rerun_interrupted_jobs: flag,
  warm_pool_min_size: wholeNumber(0, 10_000),
  warm_pool_max_size: wholeNumber(0, 10_000),
  instance_type: text(instanceType),
  instance_types: texts({ ...instanceType, allowed: 'instance types, e.g. m6i.large' }),
  instance_requirements: instanceRequirementsField,
  ...machineFields,
  baked_image: flag,
  image_bake_days: wholeNumber(1, 90),
  root_volume_size: wholeNumber(8, 16_384),
  kms_key_arn: text(keyArn),
  detailed_monitoring: flag,
  cpu_credits: oneOf('standard', 'unlimited'),
  max_instance_lifetime_days: wholeNumber(0, 365),
  extra_labels: texts({ pattern: /^[^\s,]+$/, allowed: 'labels without spaces and commas' }),
  runner_group: text({ pattern: /^\S(.*\S)?$/, allowed: 'the name of a runner group' }),
  runner_version: text({
    accepts: (value) =>
      value === latestRunner || (version.pattern.test(value) && !isOlderVersion(value, oldestRunnerVersion)),
    allowed: `latest, or x.y.z from ${oldestRunnerVersion} on, which is the oldest version that GitHub registers`,
  }),
  runner_checksum: text({
    pattern: /^(?!0{64}$)[0-9a-f]{64}$/,
    allowed: '64 hexadecimal digits in quotes, not all of them 0',
  }),
  runner_release_url: text(httpAddress),
  runner_release_date: text({ pattern: /^\d{4}-\d{2}-\d{2}$/, accepts: isDate, allowed: 'a day as YYYY-MM-DD' }),
  docker: flag,
  docker_registry_mirror: text(registryMirror),
  cache_bucket: flag,
  cache_days: wholeNumber(1, 365),
  cache_repositories: texts({ pattern: levelNames.repo.pattern, allowed: 'repositories as OWNER/NAME' }),
  cache_oidc_provider_arn: text({
    pattern: /^arn:[\w-]+:iam::\d{12}:oidc-provider\/[^\s/]\S*$/,
    allowed: 'the ARN of an identity provider (arn:aws:iam::…:oidc-provider/token.actions.githubusercontent.com)',
  }),
  clean_between_jobs: flag,
  passwordless_sudo: flag,
  ...configurationFields,
  ...alarmFields,
  function_log_prefix: text({ pattern: /^\/?[\w./-]*[\w.-]$/, allowed: 'a log group prefix' }),
  log_retention_days: retentionDays,
  own_log_key: flag,
  vendor: text({ pattern: /^[A-Za-z0-9_-]+$/, allowed: 'letters, digits, - and _' }),
  tags: tagsField,
  types: tableMap<RunnerTypeProps>(
    {
      pattern: new RegExp(`^(?!default$)[a-z0-9]([a-z0-9-]{0,${typeNameMaxLength - 2}}[a-z0-9])?$`),
      allowed: `names in lower case of at most ${typeNameMaxLength} letters, digits and -`,
    },
    'maps of what differs from the fleet',
  ),
} as const;

/** Every input of a type. */
export const runnerTypeFields = pick(
  'instance_type',
  'instance_types',
  'instance_requirements',
  'architecture',
  'ami_id',
  'image_family',
  'baked_image',
  'root_device_name',
  'root_volume_size',
  'kms_key_arn',
  'cpu_credits',
  'asg_min_size',
  'asg_max_size',
  'idle_runners_target_count',
  'on_demand_base_capacity',
  'on_demand_percentage_above_base',
  'on_demand_fallback',
  'rerun_interrupted_jobs',
  'extra_labels',
  'runner_group',
  'docker',
  'passwordless_sudo',
  'packages',
  'extra_files',
  'extra_repos',
  'post_runcmd',
  'extra_policies',
);

function pick<Key extends keyof typeof runnerFleetFields>(...keys: readonly Key[]) {
  return Object.fromEntries(keys.map((key) => [key, runnerFleetFields[key]])) as Pick<typeof runnerFleetFields, Key>;
}

/** From the inputs of a runner fleet to its settings. */
export const runnerFleetInputs = new ConstructInputs<RunnerFleetProps, RunnerFleetInputs, FleetSettings>({
  title,
  fields: runnerFleetFields,
  names,
  toInputs,
  toProps,
  withDefaults: (inputs, name) => withTypes(runnerTypeFields, inputs, name),
  contradictions: (inputs, settings, name) => [...contradictions(inputs, settings, name), ...settings.typeProblems],
});
