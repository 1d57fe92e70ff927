import { SearchCluster } from '../index.ts';
import { type Contradiction, type Inputs, testModuleInputs } from '../inputs/module-inputs.test-support.ts';
import { names, toProps } from '../props/search-cluster.ts';
import { searchClusterFields, searchClusterInputs } from './inputs.ts';
import type { SearchClusterInputs } from './props.ts';

const valid: Inputs = {
  cluster_name: 'logs',
  environment: 'production',
  zone_id: 'Z0123456789',
  zone_name: 'search.example.com',
  vpc_id: 'vpc-1',
  vpc_cidr_block: '10.0.0.0/16',
  subnet_ids: ['subnet-1', 'subnet-2'],
};

const contradictions: readonly Contradiction[] = [
  [
    'an address that is too long for a certificate',
    { zone_name: `${'x'.repeat(49)}.example.com` },
    'zone_name',
    ['66 characters', '64'],
  ],
  ['a cluster with the name of the web UI', { cluster_name: 'kibana' }, 'cluster_name', ['web UI']],
  [
    'addresses without any allowed range',
    { vpc_cidr_block: undefined, monitoring_cidr_block: '10.1.0.0/16' },
    'allowed_cidr_blocks',
    ['vpc_cidr_block'],
  ],
  [
    'exporters without any allowed range',
    { vpc_cidr_block: undefined, allowed_cidr_blocks: ['10.1.0.0/16'] },
    'monitoring_cidr_block',
    ['vpc_cidr_block'],
  ],
  [
    'an internet-facing load balancer without allowed_cidr_blocks',
    { load_balancer_scheme: 'internet-facing', load_balancer_subnet_ids: ['subnet-3', 'subnet-4'] },
    'allowed_cidr_blocks',
    ['internet-facing'],
  ],
  [
    'an internet-facing load balancer in the subnets of the nodes',
    { load_balancer_scheme: 'internet-facing', allowed_cidr_blocks: ['0.0.0.0/0'] },
    'load_balancer_subnet_ids',
    ['public subnets'],
  ],
  ['a load balancer with one subnet', { subnet_ids: ['subnet-1'] }, 'subnet_ids', ['two zones']],
  [
    'one subnet in load_balancer_subnet_ids',
    { load_balancer_subnet_ids: ['subnet-1'] },
    'load_balancer_subnet_ids',
    ['two zones'],
  ],
  [
    'an architecture that the master nodes do not have',
    { instance_type_master: 'm7g.large' },
    'architecture',
    ['m7g.large', 'arm64'],
  ],
  [
    'an architecture that the data nodes do not have',
    { instance_type_data: 'r7g.large' },
    'architecture',
    ['r7g.large'],
  ],
  ['more IOPS than the volume can have', { data_volume_size: 8, data_volume_iops: 5000 }, 'data_volume_iops', ['4000']],
  [
    'more throughput than the IOPS allow',
    { data_volume_throughput: 1000 },
    'data_volume_throughput',
    ['4000 IOPS', 'data_volume_iops'],
  ],
  [
    'forced awareness that elasticsearch.yml has too',
    {
      forced_awareness: true,
      elasticsearch_settings: { 'cluster.routing.allocation.awareness.force.zone.values': ['a', 'b'] },
    },
    'forced_awareness',
    ['elasticsearch_settings'],
  ],
  [
    'a recovery rate that elasticsearch.yml has too',
    {
      indices_recovery_max_bytes_per_sec: '200mb',
      elasticsearch_settings: { 'indices.recovery.max_bytes_per_sec': '100mb' },
    },
    'indices_recovery_max_bytes_per_sec',
    ['elasticsearch_settings'],
  ],
  [
    'a setting that the module writes itself',
    { elasticsearch_settings: { 'discovery.ec2.endpoint': 'https://ec2.example.com' } },
    'elasticsearch_settings',
    ['discovery.ec2.endpoint is set by the module'],
  ],
  [
    'the password in the keystore that the module writes itself',
    { keystore_secrets: { 'bootstrap.password': 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:x' } },
    'keystore_secrets',
    ['bootstrap.password'],
  ],
  [
    'a data file whose package is not installed',
    { puppet_hiera_config_path: '/opt/search-data/hiera.yaml', packages: ['git'] },
    'packages',
    ['puppet_hiera_config_path', 'search-data'],
  ],
];

testModuleInputs({
  title: 'a search cluster',
  folder: 'search-cluster',
  fields: searchClusterFields,
  valid,
  wrongForOne: {
    cluster_name: ['Logs', '1logs', 'logs-', 'lo gs', 'x'.repeat(41)],
    monitoring_cidr_block: ['10.0.0.0', '10.0.0.1/8'],
    master_count: [2, 4],
    instance_type_master: ['large'],
    instance_type_data: ['large', 'm6i.large,m6a.large'],
    elasticsearch_version: ['8', '8.19', '8.19.x', 'v8.19.21', '7.17.29', '8.17.10', '10.0.0'],
    ami_release: ['two words', 'x'.repeat(65)],
    indices_recovery_max_bytes_per_sec: ['200', '200 mb', '0mb', 'fast'],
    node_left_delay: ['10', '10 m', '1d', '-1', 'soon'],
    elasticsearch_settings: [{ action: 'x' }, { 'a.b': { c: 'd' } }, { 'a.b': [1] }],
    elasticsearch_plugins: [['discovery-ec2'], ['https://example.com/plugin.zip']],
    keystore_secrets: [{ 'a.b': 'password' }],
    snapshot_policies: [
      { nightly: { schedule: '0 30 1 * * ?', expire: '14d', count: 14 } },
      { nightly: { schedule: 'nightly', expire: '14d', count: 14, overdue: '2d' } },
      { nightly: { schedule: '0 30 1 * * ?', expire: '2 weeks', count: 14, overdue: '2d' } },
      { nightly: { schedule: '0 30 1 * * ?', expire: '14d', count: 0, overdue: '2d' } },
      { nightly: { schedule: '0 30 1 * * ?', expire: '14d', count: 14, overdue: '2d', indices: 'logs-*' } },
    ],
    exporter_user: ['kibana_system', 'Two Words', '_x'],
    package_mirror: ['mirror.example.com', 'https://mirror.example.com/'],
    kms_key_arn: ['alias/mine'],
    snapshot_kms_key_arn: ['alias/mine'],
    snapshot_bucket_prefix: ['ab', 'Logs', '-logs', 'logs-', 'x'.repeat(51)],
  },
  contradictions,
  readConfiguration: SearchCluster.readConfiguration,
  names,
  construct: (stack, inputs) =>
    void new SearchCluster(stack, 'Cluster', toProps(inputs as unknown as SearchClusterInputs)),
  settled: (inputs) => {
    const { nodes, ...settings } = searchClusterInputs.settings(toProps(inputs as unknown as SearchClusterInputs));
    return {
      ...settings,
      masterCount: nodes.master.count,
      masterVolumeSize: nodes.master.volumeGiB,
      dataCount: nodes.data.count,
      dataVolumeSize: nodes.data.volumeGiB,
    };
  },
});
