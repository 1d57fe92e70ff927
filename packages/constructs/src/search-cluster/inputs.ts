import { clusterNameMaxLength, type SnapshotPolicyInput } from '@drover/core/names/search-cluster';
import { ConstructInputs } from '../inputs/construct-inputs.ts';
import {
  flag,
  oneOf,
  oneOfNumbers,
  recordMap,
  required,
  settingMap,
  tableMap,
  text,
  textMap,
  texts,
  wholeNumber,
  wholeNumberOr,
} from '../inputs/fields.ts';
import { addressRange, instanceType, keyArn, searchVersion, secretArn } from '../inputs/shapes.ts';
import {
  addressFields,
  alarmFields,
  configurationFields,
  environmentField,
  machineFields,
  subnetIdsField,
  tagsField,
  vpcIdField,
} from '../inputs/shared-fields.ts';
import { names, toInputs, toProps } from '../props/search-cluster.ts';
import { contradictions } from './contradictions.ts';
import type { NodeGroupProps } from './groups/group-props.ts';
import type { SearchClusterInputs, SearchClusterProps } from './props.ts';
import { type SearchClusterSettings, title, withDefaults } from './settings.ts';

const settingName = { pattern: /^[a-z0-9_]+(\.[\w*-]+)+$/i, allowed: 'names of settings' };
const isTimeSpan = (value: unknown) => typeof value === 'string' && /^[1-9]\d*[hd]$/.test(value);

/** Every input of a search cluster, by its key in a configuration file. */
export const searchClusterFields = {
  cluster_name: required(
    'name of the cluster, from which the names of its groups and addresses are derived',
    text({
      pattern: new RegExp(`^[a-z]([a-z0-9-]{0,${clusterNameMaxLength - 2}}[a-z0-9])?$|^\\$\\{Token`),
      allowed: `lower-case letters, digits and -, beginning with a letter, at most ${clusterNameMaxLength}`,
    }),
  ),
  environment: environmentField,
  names_with_environment: flag,
  vpc_id: vpcIdField,
  subnet_ids: subnetIdsField('subnets of the nodes, in several availability zones'),
  ...addressFields,
  monitoring_cidr_block: text(addressRange),
  master_count: oneOfNumbers(1, 3, 5, 7),
  data_count: wholeNumber(1, 200),
  node_groups: tableMap<NodeGroupProps>(
    { pattern: /^[a-z][a-z0-9]{0,15}$/, allowed: 'master, data and names of at most 16 lower-case letters and digits' },
    'maps of what the group has',
  ),
  instance_type_master: text(instanceType),
  instance_type_data: text(instanceType),
  ...machineFields,
  ami_release: text({ pattern: /^[\w.:-]{1,64}$/, allowed: 'letters, digits and _.:-, at most 64' }),
  master_volume_size: wholeNumber(8, 16_384),
  data_volume_size: wholeNumber(8, 16_384),
  separate_data_volume: flag,
  data_volume_max_size: wholeNumber(8, 16_384),
  data_volume_iops: wholeNumber(3_000, 80_000),
  data_volume_throughput: wholeNumber(125, 2_000),
  kms_key_arn: text(keyArn),
  elasticsearch_version: text(searchVersion),
  memory_lock: flag,
  heap_max_gib: wholeNumberOr('none', 1, 512),
  indices_recovery_max_bytes_per_sec: text({
    pattern: /^[1-9]\d*(mb|gb)$/,
    allowed: 'a size as Elasticsearch writes it, in mb or gb, e.g. 200mb',
  }),
  node_left_delay: text({
    pattern: /^(0|[1-9]\d*)[smh]$/,
    allowed: 'a time as Elasticsearch writes it, in s, m or h, e.g. 10m',
  }),
  forced_awareness: flag,
  elasticsearch_settings: settingMap(settingName),
  elasticsearch_plugins: texts({
    pattern: /^(?!discovery-ec2$)[a-z][a-z0-9-]*$/,
    allowed: 'names of plugins, e.g. analysis-icu',
  }),
  keystore_secrets: textMap(settingName, secretArn),
  snapshot_policies: recordMap<SnapshotPolicyInput>(
    { pattern: /^[a-z0-9][a-z0-9_-]*$/, allowed: 'ids' },
    {
      schedule: (value) => typeof value === 'string' && /^\S+( \S+){5,6}$/.test(value),
      expire: isTimeSpan,
      count: (value) => Number.isInteger(value) && (value as number) > 0,
      overdue: isTimeSpan,
    },
  ),
  restore_drill_days: wholeNumber(0, 365),
  node_certificate_days: wholeNumber(62, 3_650),
  package_mirror: text({
    pattern: /^https?:\/\/[^\s?#]*[^\s?#/]$/,
    allowed: 'an http(s) address without a slash at the end',
  }),
  exporter_user: text({
    pattern: /^(?!kibana|logstash_system|beats_system|apm_system|remote_monitoring_user)[a-z][a-z0-9_.-]{0,63}$/,
    allowed: 'elastic, or the name of a user that is not built in',
  }),
  anonymous_monitoring: flag,
  kibana_auth: oneOf('password', 'service_token'),
  password_rotation_days: wholeNumber(7, 3_650),
  rotate_elastic: flag,
  snapshot_bucket_prefix: text({
    pattern: /^[a-z0-9][a-z0-9-]{1,48}[a-z0-9]$/,
    allowed: 'lower-case letters, digits and -, 3 to 50',
  }),
  snapshot_kms_key_arn: text(keyArn),
  snapshot_replica_bucket: text({
    pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    allowed: 'the name of a bucket',
  }),
  snapshot_replica_region: text({ pattern: /^[a-z]{2}(-[a-z]+)+-\d$/, allowed: 'a region, e.g. eu-central-1' }),
  snapshot_force_destroy: flag,
  // CloudFormation waits an hour for a custom resource.
  green_within_minutes: wholeNumber(0, 50),
  max_instance_lifetime_days: wholeNumber(0, 365),
  ...configurationFields,
  ...alarmFields,
  tags: tagsField,
} as const;

/** From the inputs of a search cluster to its settings. */
export const searchClusterInputs = new ConstructInputs<SearchClusterProps, SearchClusterInputs, SearchClusterSettings>({
  title,
  fields: searchClusterFields,
  names,
  toInputs,
  toProps,
  withDefaults,
  contradictions,
});
