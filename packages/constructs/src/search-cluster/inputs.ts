import { clusterNameMaxLength } from '@drover/core/names/search-cluster';
import { flag, oneOfNumbers, type PropsOf, requiredText, text, wholeNumber } from '../inputs/fields.ts';
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

/** Every input of a search cluster, by the specification's name. */
export const searchClusterFields = {
  cluster_name: requiredText({
    description: 'name of the cluster; its groups and addresses are named after it',
    pattern: new RegExp(`^[a-z]([a-z0-9-]{0,${clusterNameMaxLength - 2}}[a-z0-9])?$`),
    allowed: `small letters, digits and -, beginning with a letter, at most ${clusterNameMaxLength}`,
  }),
  environment: environmentField,
  vpc_id: vpcIdField,
  subnet_ids: subnetIdsField('subnets of the nodes, of several zones'),
  ...addressFields,
  monitoring_cidr_block: text({
    ...addressRange,
    description: 'network from which the metrics exporters may be scraped',
    default: 'vpc_cidr_block',
  }),
  master_count: oneOfNumbers([1, 3, 5, 7], { description: 'master nodes', default: '3' }),
  data_count: wholeNumber({ least: 1, most: 200, description: 'data nodes', default: '3' }),
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
  master_volume_size: wholeNumber({ least: 8, most: 16_384, description: "GiB of a master's volume", default: '30' }),
  data_volume_size: wholeNumber({
    least: 8,
    most: 16_384,
    description: "GiB of a data node's volume",
    default: '200',
  }),
  elasticsearch_version: text({ ...version, description: 'version of Elasticsearch', default: '8.19.21' }),
  memory_lock: flag({ description: "lock Elasticsearch's memory, so that it is never swapped", default: 'false' }),
  snapshot_bucket_prefix: text({
    description: 'what the name of the snapshot bucket begins with',
    pattern: /^[a-z0-9][a-z0-9-]{1,48}[a-z0-9]$/,
    allowed: 'small letters, digits and -, 3 to 50',
    default: '<cluster_name>-snapshots',
  }),
  snapshot_force_destroy: flag({
    description: 'delete the snapshots with the stack; otherwise their bucket is kept',
    default: 'false',
  }),
  max_instance_lifetime_days: wholeNumber({
    least: 0,
    most: 365,
    description: 'a node is replaced after so many days; 0: never',
    default: '0',
  }),
  ...configurationFields,
  ...alarmFields,
  tags: tagsField,
} as const;

/** Props of `SearchCluster`; docs/CONFIGURATION.md describes each. */
export type SearchClusterProps = PropsOf<typeof searchClusterFields>;
