import { describe, expect, it } from 'vitest';
import { commandsIn, instanceFacts, readFacts, readUserData } from '../boot/user-data.test-support.ts';
import { userDataLimitBytes } from '../boot/user-data-size.ts';
import { toProps } from '../props/search-cluster.ts';
import { searchClusterInputs } from './inputs.ts';
import type { SearchClusterInputs } from './props.ts';
import type { NodeKind } from './settings.ts';
import { type NodePlaces, nodeUserData, pointedFacts } from './user-data.ts';

const inputs: SearchClusterInputs = {
  clusterName: 'logs',
  environment: 'production',
  zoneId: 'Z0123456789',
  zoneName: 'search.example.com',
  vpcId: 'vpc-1',
  vpcCidrBlock: '10.0.0.0/16',
  subnetIds: ['subnet-1', 'subnet-2', 'subnet-3'],
};
const internetFacing: Partial<SearchClusterInputs> = {
  loadBalancerScheme: 'internet-facing',
  allowedCidrBlocks: ['192.0.2.0/24'],
  loadBalancerSubnetIds: ['subnet-4', 'subnet-5'],
};
const secret = (name: string) => `arn:aws:secretsmanager:eu-west-1:123456789012:secret:${name}-AbCdEf`;

const { region, urlSuffix } = instanceFacts;
const pointerUrl = 'https://s3.eu-west-1.amazonaws.com/logs-state-0123456789ab/software/current.json';
const places: NodePlaces = {
  elasticSecret: secret('elastic'),
  kibanaSystemSecret: secret('kibana'),
  caCertificateSecret: secret('certificate'),
  caKeySecret: secret('key'),
  snapshotsBucket: 'logs-snapshots-0123456789ab',
  stateBucket: 'logs-state-0123456789ab',
};
const settingsOf = (change: Partial<SearchClusterInputs>) =>
  searchClusterInputs.settings(toProps({ ...inputs, ...change }));
const textOf = (kind: NodeKind, change: Partial<SearchClusterInputs> = {}) =>
  nodeUserData(kind, settingsOf(change), {
    region,
    urlSuffix,
    pointerUrl,
    groupName: kind === 'master' ? 'logs' : 'logs-data',
    launchVersion: '8.18.3',
    ...places,
  });
const launchFactsOf = (kind: NodeKind, change?: Partial<SearchClusterInputs>) => readFacts(textOf(kind, change));
/** The facts that a node takes with its software. */
const factsOf = (kind: NodeKind, change: Partial<SearchClusterInputs> = {}) =>
  pointedFacts(kind, settingsOf(change), places) as unknown as Record<
    'drover' | 'elasticsearch',
    Record<string, unknown>
  >;

describe('user data of a search node', () => {
  it.each([
    ['master', 'search_master', 'logs'],
    ['data', 'search_data', 'logs-data'],
  ] as const)('user data gives a %s node its role, its group and its preparation command', (kind, role, group) => {
    expect(launchFactsOf(kind).drover).toEqual({
      role,
      environment: 'production',
      region: 'eu-west-1',
      packages: [],
      software_pointer: pointerUrl,
      puppet: {
        hiera_config: '/opt/drover/puppet/hiera.yaml',
        module_path: '/opt/drover/puppet/modules',
        manifest: '/opt/drover/puppet/manifests/site.pp',
      },
      launch: {
        autoscaling_group_name: group,
        hook: 'launching',
        release: { hook: 'terminating', unless: '/var/lib/elasticsearch/indices', service: 'elasticsearch' },
        note: { tag: 'drover:launch', endpoint: 'https://ec2.eu-west-1.amazonaws.com/' },
        endpoint: 'https://autoscaling.eu-west-1.amazonaws.com/',
      },
      prepare: ['bin/cluster-cli', 'node', 'prepare'],
    });
  });

  it.each([
    ['by default', {}, undefined],
    ['where it is switched off', { anonymousMonitoring: false }, false],
    ['behind an internet-facing load balancer', internetFacing, false],
    [
      'behind an internet-facing load balancer that shall show it',
      { ...internetFacing, anonymousMonitoring: true },
      undefined,
    ],
  ])('the facts of a node say whether a caller without a password may read anything: %s', (_where, inputs, fact) => {
    expect(factsOf('data', inputs).elasticsearch.anonymous_monitoring).toBe(fact);
  });

  it('forced awareness is a fact of masters, not of data nodes, and none without the input', () => {
    expect(factsOf('master', { forcedAwareness: true }).elasticsearch.forced_awareness).toBe(true);
    expect(factsOf('data', { forcedAwareness: true }).elasticsearch).not.toHaveProperty('forced_awareness');
    expect(factsOf('master', {}).elasticsearch).not.toHaveProperty('forced_awareness');
  });

  it('user data has of the cluster only what a launch needs, with secrets by name only', () => {
    const facts = launchFactsOf('data', { memoryLock: true, masterCount: 5, elasticsearchVersion: '8.18.3' });

    expect(facts.elasticsearch).toEqual({
      cluster_name: 'logs',
      environment: 'production',
      version: '8.18.3',
      elastic_secret: secret('elastic'),
      kibana_system_secret: secret('kibana'),
      ca_certificate_secret: secret('certificate'),
      ca_key_secret: secret('key'),
      snapshots_bucket: 'logs-snapshots-0123456789ab',
      state_bucket: 'logs-state-0123456789ab',
      master_url: 'https://logs-master.search.example.com',
    });
  });

  it('a node takes everything else of the cluster with its software, and nothing of its launch', () => {
    expect(factsOf('data', { memoryLock: true, masterCount: 5, elasticsearchVersion: '8.18.3' }).elasticsearch).toEqual(
      {
        cluster_name: 'logs',
        environment: 'production',
        memory_lock: true,
        heap_max_gib: 30,
        elastic_secret: secret('elastic'),
        kibana_system_secret: secret('kibana'),
        ca_certificate_secret: secret('certificate'),
        ca_key_secret: secret('key'),
        snapshots_bucket: 'logs-snapshots-0123456789ab',
        master_url: 'https://logs-master.search.example.com',
      },
    );
  });

  it.each<[string, Partial<SearchClusterInputs>]>([
    ['elasticsearch_settings', { elasticsearchSettings: { 'action.auto_create_index': false } }],
    ['elasticsearch_plugins', { elasticsearchPlugins: ['analysis-icu'] }],
    ['master_count', { masterCount: 5 }],
    ['heap_max_gib', { heapMaxGib: 8 }],
    ['memory_lock', { memoryLock: true }],
    ['programs_from_packages', { programsFromPackages: true }],
  ])('another %s changes no user data', (_input, change) => {
    for (const kind of ['master', 'data'] as const) expect(textOf(kind, change)).toBe(textOf(kind));
  });

  it('settings, plugins, keystore entries and a mirror are facts of every node, and snapshot policies of masters only', () => {
    const nightly = { schedule: '0 30 1 * * ?', expire: '14d', count: 14, overdue: '2d' };
    const change = {
      elasticsearchSettings: { 'action.auto_create_index': false },
      elasticsearchPlugins: ['analysis-icu'],
      keystoreSecrets: { 'azure.client.default.key': secret('azure') },
      packageMirror: 'https://mirror.example.com/elastic',
    };
    const everywhere = {
      settings: change.elasticsearchSettings,
      plugins: change.elasticsearchPlugins,
      keystore_secrets: change.keystoreSecrets,
      mirror: change.packageMirror,
    };

    expect(factsOf('data', change).elasticsearch).toMatchObject(everywhere);
    expect(factsOf('master', { ...change, snapshotPolicies: { nightly } }).elasticsearch).toMatchObject({
      ...everywhere,
      snapshot_policies: { nightly },
    });
    expect(factsOf('data', { snapshotPolicies: { nightly } })).toEqual(factsOf('data'));
  });

  it.each<[string, Partial<SearchClusterInputs>, string | undefined]>([
    ["Elasticsearch's own default on a small instance", {}, '40mb'],
    ['bound by the volume', { instanceTypeData: 'r6i.4xlarge' }, '50mb'],
    [
      'bound by the instance',
      { instanceTypeData: 'r6i.2xlarge', dataVolumeIops: 4_000, dataVolumeThroughput: 1_000 },
      '119mb',
    ],
    ['as given', { indicesRecoveryMaxBytesPerSec: '200mb' }, '200mb'],
    [
      'left to elasticsearch.yml',
      { elasticsearchSettings: { 'indices.recovery.max_bytes_per_sec': '1gb' } },
      undefined,
    ],
  ])('the recovery rate is a fact of masters, not of data nodes: %s', (_title, change, expected) => {
    expect(factsOf('master', change).elasticsearch.recovery_max_bytes_per_sec).toBe(expected);
    expect(factsOf('data', change).elasticsearch).not.toHaveProperty('recovery_max_bytes_per_sec');
  });

  it('a volume that cannot be drained within 48 hours is warned about', () => {
    const warned = (change: Partial<SearchClusterInputs>) =>
      searchClusterInputs.settings(toProps({ ...inputs, ...change })).warnings['drover:long-drain'];

    expect(warned({ dataVolumeSize: 4_096 })).toEqual([]);
    expect(warned({ dataVolumeSize: 16_384 })).toEqual([
      expect.stringMatching(/^a full volume of 16384 GiB takes about 99 h to drain at 40mb\/s, .* raise dataCount/),
    ]);
    expect(warned({ dataVolumeSize: 16_384, indicesRecoveryMaxBytesPerSec: '1gb' })).toEqual([]);
  });

  it('another master_count is a fact of masters and not of data nodes', () => {
    expect(factsOf('master', { masterCount: 5 }).elasticsearch).toMatchObject({ master_count: 5 });
    expect(factsOf('data', { masterCount: 5 })).toEqual(factsOf('data'));
  });

  it('post_runcmd of a search node runs after the boot script', () => {
    const text = textOf('master', { postRuncmd: ['echo ready'] });

    expect(readUserData(text).runcmd).toEqual(['python3 /opt/drover/boot.py']);
    expect(commandsIn(text)).toEqual(['echo ready']);
  });

  it('user data of a search node leaves 3 KB for extra_files with the longest names', () => {
    const text = textOf('master', { clusterName: 'x'.repeat(40), extraFiles: { '/etc/motd': 'x'.repeat(3 * 1024) } });

    expect(Buffer.byteLength(text)).toBeLessThan(userDataLimitBytes);
  });
});
