import { hostNames, recoverySetting, superuser } from '@drover/core/names/search-cluster';
import type { Contradiction, NameOf } from '../inputs/check-inputs.ts';
import {
  longCertificateName,
  missingHieraPackage,
  unclearReach,
  wrongProcessor,
} from '../inputs/shared-contradictions.ts';
import type { SearchClusterInputs } from './props.ts';
import type { SearchClusterSettings } from './settings.ts';

/** Inputs that are valid one by one, but not together. */
export function contradictions(
  inputs: SearchClusterInputs,
  settings: SearchClusterSettings,
  name: NameOf,
): Contradiction[] {
  const { architecture, nodes, groupProblems } = settings;
  return [
    ...groupProblems,
    takenAddress(inputs, name),
    longCertificateName(hostNames.cluster(inputs.clusterName), inputs, name),
    ...unclearReach(inputs, name),
    unclearMonitoring(inputs, name),
    wrongProcessor({ architecture, instanceTypes: Object.values(nodes).map(({ instanceType }) => instanceType) }, name),
    missingHieraPackage(settings, name),
    impossibleVolume(settings, name),
    impossibleGrowth(settings, name),
    ...takenSettings(inputs, name),
    rateTwice(inputs, name),
    awarenessTwice(inputs, name),
    regionWithoutReplica(inputs, name),
    nothingToRotate(inputs, settings, name),
  ];
}

const regionWithoutReplica = (
  { snapshotReplicaBucket: bucket, snapshotReplicaRegion: region }: SearchClusterInputs,
  name: NameOf,
): Contradiction =>
  region === undefined || bucket !== undefined
    ? undefined
    : {
        key: name('snapshot_replica_region'),
        problem: `there is no bucket whose region it is`,
        remedy: `Give ${name('snapshot_replica_bucket')}, or leave it out`,
      };

/** A rotation that someone counts on, and that would never happen. */
function nothingToRotate(
  { passwordRotationDays: days, rotateElastic = false }: SearchClusterInputs,
  { kibanaAuth, exporterUser }: SearchClusterSettings,
  name: NameOf,
): Contradiction {
  if (days === undefined && rotateElastic)
    return {
      key: name('rotate_elastic'),
      problem: 'nothing says how often',
      remedy: `Give ${name('password_rotation_days')}`,
    };
  if (days === undefined || rotateElastic || kibanaAuth === 'service_token' || exporterUser !== superuser)
    return undefined;
  return {
    key: name('password_rotation_days'),
    problem: 'there is nothing that it replaces',
    remedy: `Give ${name('rotate_elastic')}, ${name('exporter_user')} or ${name('kibana_auth')} service_token`,
  };
}

/**
 * Settings that the module itself writes into elasticsearch.yml
 * (puppet/modules/drover_search/templates/elasticsearch.yml.epp).
 */
const ownSettings = new RegExp(
  [
    'cluster\\.(name|initial_master_nodes|routing\\.allocation\\.awareness\\.attributes)',
    'node\\.(name|roles|attr\\.zone)',
    'path\\..*',
    'bootstrap\\.memory_lock',
    'network\\.host',
    'http\\.(bind_host|publish_host|port)',
    'transport\\.port',
    'discovery\\..*',
    's3\\.client\\.default\\.region',
    'xpack\\.security\\.(enabled|enrollment\\.enabled|transport\\.ssl\\..*|http\\.ssl\\..*|audit\\.enabled|authc\\.anonymous\\..*)',
  ]
    .map((name) => `^${name}$`)
    .join('|'),
);

function takenSettings({ elasticsearchSettings = {}, keystoreSecrets = {} }: SearchClusterInputs, name: NameOf) {
  const inUse = (key: string, taken: string | undefined): Contradiction =>
    taken === undefined
      ? undefined
      : { key: name(key), problem: `${taken} is set by the module`, remedy: 'Leave it out' };
  const own = Object.keys(elasticsearchSettings).find((one) => ownSettings.test(one));
  const password = 'bootstrap.password';
  return [
    inUse('elasticsearch_settings', own),
    inUse('keystore_secrets', password in keystoreSecrets ? password : undefined),
  ];
}

const forcedAwarenessPrefix = 'cluster.routing.allocation.awareness.force.';

function rateTwice(
  { elasticsearchSettings = {}, indicesRecoveryMaxBytesPerSec: rate }: SearchClusterInputs,
  name: NameOf,
) {
  if (rate === undefined || !(recoverySetting in elasticsearchSettings)) return undefined;
  const problem = `${name('elasticsearch_settings')} sets ${recoverySetting} too, which would have no effect`;
  return { key: name('indices_recovery_max_bytes_per_sec'), problem, remedy: 'Give one of them' };
}

function awarenessTwice(
  { elasticsearchSettings = {}, forcedAwareness = false }: SearchClusterInputs,
  name: NameOf,
): Contradiction {
  const twice = Object.keys(elasticsearchSettings).find((key) => key.startsWith(forcedAwarenessPrefix));
  if (!forcedAwareness || twice === undefined) return undefined;
  const problem = `${name('elasticsearch_settings')} sets ${twice} too`;
  return { key: name('forced_awareness'), problem, remedy: 'Give one of them' };
}

/** Volumes of data nodes grow where they are the nodes' own, and never get smaller. */
function impossibleGrowth(settings: SearchClusterSettings, name: NameOf): Contradiction {
  const { dataVolumeMaxSize: most, separateDataVolume, nodes } = settings;
  if (most === undefined) return undefined;
  const key = name('data_volume_max_size');
  const { volumeGiB } = nodes.data;
  if (!separateDataVolume)
    return {
      key,
      problem: 'the data is on root volumes, which are not grown',
      remedy: `Set ${name('separate_data_volume')}, or leave it out`,
    };
  if (most >= volumeGiB) return undefined;
  return { key, problem: `volumes have ${volumeGiB} GiB from the beginning`, remedy: 'Give as much or more' };
}

/** Limits of gp3: 500 IOPS for each GiB, and a quarter MiB/s for each IOPS (EBS user guide, "General Purpose SSD volumes"). */
function impossibleVolume(settings: SearchClusterSettings, name: NameOf): Contradiction {
  const { dataVolumeIops: iops = 3_000, dataVolumeThroughput: throughput = 125, nodes } = settings;
  const data = Object.values(nodes).filter(({ holdsData }) => holdsData);
  const volumeGiB = Math.min(...data.map((group) => group.volumeGiB));
  const most = Math.max(3_000, 500 * volumeGiB);
  const problem = (key: string, text: string, remedy: string) => ({ key: name(key), problem: text, remedy });
  if (iops > most) return problem('data_volume_iops', `a volume of ${volumeGiB} GiB has at most ${most}`, 'Give less');
  if (throughput <= iops / 4) return undefined;
  return problem(
    'data_volume_throughput',
    `${throughput} MiB/s need ${throughput * 4} IOPS`,
    `Raise ${name('data_volume_iops')}`,
  );
}

/** The web UI has this address in every zone. */
function takenAddress({ clusterName }: SearchClusterInputs, name: NameOf): Contradiction {
  if (clusterName !== hostNames.ui) return undefined;
  return {
    key: name('cluster_name'),
    problem: `${clusterName} is the address of the web UI`,
    remedy: 'Choose another name',
  };
}

function unclearMonitoring({ monitoringCidrBlock, vpcCidrBlock }: SearchClusterInputs, name: NameOf): Contradiction {
  if (monitoringCidrBlock !== undefined || vpcCidrBlock !== undefined) return undefined;
  return {
    key: name('monitoring_cidr_block'),
    problem: 'it is missing',
    remedy: `Say from where the exporters are scraped, or give ${name('vpc_cidr_block')}, which is the default`,
  };
}
