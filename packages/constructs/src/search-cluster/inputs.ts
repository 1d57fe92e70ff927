import { clusterNameMaxLength } from '@drover/core/names/search-cluster';
import { ConstructInputs } from '../inputs/construct-inputs.ts';
import { flag, numberOrNone, oneOfNumbers, requiredText, text, wholeNumber } from '../inputs/fields.ts';
import { addressRange, instanceType, version } from '../inputs/shapes.ts';
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
import { contradictions } from './contradictions.ts';
import type { SearchClusterProps } from './props.ts';
import { type SearchClusterSettings, title, withDefaults } from './settings.ts';

/** Every input of a search cluster, by its key in a configuration file. */
export const searchClusterFields = {
  cluster_name: requiredText({
    description: 'name of the cluster, from which the names of its groups and addresses are derived',
    pattern: new RegExp(`^[a-z]([a-z0-9-]{0,${clusterNameMaxLength - 2}}[a-z0-9])?$`),
    allowed: `lower-case letters, digits and -, beginning with a letter, at most ${clusterNameMaxLength}`,
  }),
  environment: environmentField,
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
  elasticsearch_version: text({ ...version, description: 'version of Elasticsearch', default: '8.19.21' }),
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
export const searchClusterInputs = new ConstructInputs<SearchClusterProps, SearchClusterSettings>({
  title,
  fields: searchClusterFields,
  withDefaults,
  contradictions,
});
