import { clusterNameMaxLength, type SnapshotPolicyInput } from '@drover/core/names/search-cluster';
import { ConstructInputs } from '../inputs/construct-inputs.ts';
import {
  flag,
  numberOrNone,
  oneOf,
  oneOfNumbers,
  recordMap,
  requiredText,
  ruledTextMap,
  settingMap,
  text,
  texts,
  wholeNumber,
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
import type { SearchClusterInputs, SearchClusterProps } from './props.ts';
import { type SearchClusterSettings, title, withDefaults } from './settings.ts';

const settingName = { pattern: /^[a-z0-9_]+(\.[\w*-]+)+$/i, allowed: 'names of settings' };
const isTimeSpan = (value: unknown) => typeof value === 'string' && /^[1-9]\d*[hd]$/.test(value);

/** Every input of a search cluster, by its key in a configuration file. */
export const searchClusterFields = {
  cluster_name: requiredText({
    description: 'name of the cluster, from which the names of its groups and addresses are derived',
    pattern: new RegExp(`^[a-z]([a-z0-9-]{0,${clusterNameMaxLength - 2}}[a-z0-9])?$`),
    allowed: `lower-case letters, digits and -, beginning with a letter, at most ${clusterNameMaxLength}`,
  }),
  environment: environmentField,
  names_with_environment: flag({
    description: 'the names of groups, functions, alarms and metrics contain the environment; cannot be changed later',
    default: 'false',
  }),
  vpc_id: vpcIdField,
  subnet_ids: subnetIdsField('subnets of the nodes, in several availability zones'),
  ...addressFields,
  monitoring_cidr_block: text({
    ...addressRange,
    description: 'address range from which the metrics exporters may be scraped',
    default: 'vpc_cidr_block',
  }),
  master_count: oneOfNumbers([1, 3, 5, 7], { description: 'number of master nodes', default: '3' }),
  data_count: wholeNumber({ least: 1, most: 200, description: 'number of data nodes', default: '3' }),
  instance_type_master: text({
    ...instanceType,
    description: 'instance type of the master nodes',
    default: 't3a.medium, on arm64 t4g.medium',
  }),
  instance_type_data: text({
    ...instanceType,
    description: 'instance type of the data nodes',
    default: 'm6i.large, on arm64 m7g.large',
  }),
  ...machineFields,
  ami_id: {
    ...machineFields.ami_id,
    defaultText: "Canonical's Ubuntu 24.04 as it was current in the first deployment, or when ami_release changed",
  },
  ami_release: text({
    description: 'any text, e.g. 2026-11: with a new one the next deployment takes the image that is current then',
    pattern: /^[\w.:-]{1,64}$/,
    allowed: 'letters, digits and _.:-, at most 64',
  }),
  master_volume_size: wholeNumber({
    least: 8,
    most: 16_384,
    description: 'size of the volume of a master node in GiB',
    default: '30',
  }),
  data_volume_size: wholeNumber({
    least: 8,
    most: 16_384,
    description: 'size of the volume of a data node in GiB',
    default: '200',
  }),
  separate_data_volume: flag({
    description: 'the data of Elasticsearch is on a volume of its own, and the system on another of 30 GiB',
    default: 'false',
  }),
  data_volume_iops: wholeNumber({
    least: 3_000,
    most: 80_000,
    description: "IOPS of the volume with a data node's data",
    default: 'what gp3 has without extra charge: 3,000',
  }),
  data_volume_throughput: wholeNumber({
    least: 125,
    most: 2_000,
    description: "throughput of the volume with a data node's data in MiB/s; at most a quarter of its IOPS",
    default: 'what gp3 has without extra charge: 125',
  }),
  kms_key_arn: text({
    ...keyArn,
    description: 'KMS key of the volumes; its policy has to allow the service-linked role of Auto Scaling',
    default: "the account's default key for EBS",
  }),
  elasticsearch_version: text({ ...searchVersion, description: 'version of Elasticsearch', default: '8.19.21' }),
  memory_lock: flag({
    description: 'lock the memory of Elasticsearch, so that it is never swapped out',
    default: 'false',
  }),
  heap_max_gib: numberOrNone({
    least: 1,
    most: 512,
    description: 'largest heap of a node in GiB, up to which half of the memory is heap; none: no limit',
    default: '30',
  }),
  indices_recovery_max_bytes_per_sec: text({
    description: 'bytes a second that recoveries copy on each node, in and out (indices.recovery.max_bytes_per_sec)',
    pattern: /^[1-9]\d*(mb|gb)$/,
    allowed: 'a size as Elasticsearch writes it, in mb or gb, e.g. 200mb',
    default: 'four tenths of what instance_type_data and the volume can, at least 40mb',
  }),
  forced_awareness: flag({
    description:
      'copies of shards that a lost zone had stay unassigned until it is back, where they would crowd the other zones',
    default: 'false',
  }),
  elasticsearch_settings: settingMap({
    ...settingName,
    description: 'settings for elasticsearch.yml beside those of the module; a change replaces the nodes',
  }),
  elasticsearch_plugins: texts({
    description: "official plugins beside the module's own",
    pattern: /^(?!discovery-ec2$)[a-z][a-z0-9-]*$/,
    allowed: 'names of plugins, e.g. analysis-icu',
  }),
  keystore_secrets: ruledTextMap({
    ...settingName,
    description: 'secure settings for the keystore, and the secrets that hold their values',
    values: secretArn,
  }),
  snapshot_policies: recordMap<SnapshotPolicyInput>({
    description: 'snapshot policies by id, kept as they are here; an empty map: none',
    pattern: /^[a-z0-9][a-z0-9_-]*$/,
    allowed: 'ids',
    members: {
      schedule: (value) => typeof value === 'string' && /^\S+( \S+){5,6}$/.test(value),
      expire: isTimeSpan,
      count: (value) => Number.isInteger(value) && (value as number) > 0,
      overdue: isTimeSpan,
    },
    default: 'hourly, daily, weekly and monthly ones',
  }),
  restore_drill_days: wholeNumber({
    least: 0,
    most: 365,
    description:
      'days between two restore drills, which restore one index of the newest snapshot and compare it; 0: none',
    default: '7',
  }),
  package_mirror: text({
    description: 'address of a mirror of artifacts.elastic.co, for packages, plugins and the key that signs them',
    pattern: /^https?:\/\/[^\s?#]*[^\s?#/]$/,
    allowed: 'an http(s) address without a slash at the end',
    default: 'https://artifacts.elastic.co',
  }),
  exporter_user: text({
    description: 'user that the exporter of metrics logs in as; one other than elastic is made, and may only monitor',
    pattern: /^(?!kibana|logstash_system|beats_system|apm_system|remote_monitoring_user)[a-z][a-z0-9_.-]{0,63}$/,
    allowed: 'elastic, or the name of a user that is not built in',
    default: 'elastic',
  }),
  anonymous_monitoring: flag({
    description: 'health and statistics can be read without a password (role anonymous_monitor)',
    default: 'true; with load_balancer_scheme internet-facing false',
  }),
  kibana_auth: oneOf(['password', 'service_token'], {
    description:
      'how the web UI logs in; with service_token the cluster also keeps a token for it, output kibana_token_secret_id',
    default: 'password',
  }),
  snapshot_bucket_prefix: text({
    description: 'prefix of the name of the snapshot bucket',
    pattern: /^[a-z0-9][a-z0-9-]{1,48}[a-z0-9]$/,
    allowed: 'lower-case letters, digits and -, 3 to 50',
    default: '<cluster_name>-snapshots',
  }),
  snapshot_force_destroy: flag({
    description: 'delete the snapshots and their bucket together with the stack',
    default: 'false',
  }),
  // CloudFormation waits an hour for a custom resource.
  green_within_minutes: wholeNumber({
    least: 0,
    most: 50,
    description: 'minutes for which a deployment waits for a green cluster before it fails; 0: it does not wait',
    default: '45',
  }),
  max_instance_lifetime_days: wholeNumber({
    least: 0,
    most: 365,
    description: 'days after which a node is replaced; 0: never',
    default: '0',
  }),
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
