/** Every string of the search cluster that crosses a room. */

export const hooks = {
  launching: { name: 'launching', heartbeatTimeoutSeconds: 3600, defaultResult: 'ABANDON' },
  terminating: { name: 'terminating', heartbeatTimeoutSeconds: 3600, defaultResult: 'ABANDON' },
} as const;

/**
 * The prefix for the names of a cluster's groups, functions, alarms and metrics; with `names_with_environment` two
 * environments share an account.
 */
export const resourceName = (clusterName: string, environment: string, withEnvironment: boolean): string =>
  withEnvironment ? `${clusterName}-${environment}` : clusterName;

/** Of the resource name of a cluster. */
export const groupNames = {
  master: (name: string): string => name,
  data: (name: string): string => `${name}-data`,
};

/** With more, the names made from it (bucket, address of the data nodes) would be longer than allowed. */
export const clusterNameMaxLength = 40;

/** Addresses in the zone: `<cluster>`, `<cluster>-master` and `<cluster>-data`; the web UI is `kibana`. */
export const hostNames = {
  cluster: (clusterName: string): string => clusterName,
  master: (clusterName: string): string => `${clusterName}-master`,
  data: (clusterName: string): string => `${clusterName}-data`,
  ui: 'kibana',
} as const;

export const discoveryTags = { cluster: 'cluster', environment: 'environment' } as const;
export const zoneAttribute = 'zone';
export const ports = { http: 9200, transport: 9300, nodeExporter: 9100, searchExporter: 9114 } as const;
/** A red cluster must not take every target away from the load balancer: each node speaks for itself. */
export const healthCheckPath = '/_cluster/health?local=true';
/**
 * A node without anonymous access returns 401 as soon as it listens, and one with it 200, in a cluster or not: both say the same. While nodes
 * are replaced because `anonymous_monitoring` changes there are both.
 */
export const healthCheckCodes = '200,401';
export const uiPort = 5601;
export const superuser = 'elastic';
export const kibanaUser = 'kibana_system';
export const anonymousRole = 'anonymous_monitor';
/** Role of an exporter's user other than the superuser, in roles.yml. */
export const exporterRole = 'drover_exporter';
export const snapshotRepository = 'backups';
/** Repository of the input `snapshot_replica_bucket`. */
export const replicaRepository = 'drover-replica';
/** In the settings of nodes, for the region of that bucket. */
export const replicaClient = 'replica';
/** Cluster setting for the bytes a second that recoveries copy on each node; the masters maintain it. */
export const recoverySetting = 'indices.recovery.max_bytes_per_sec';
/** How long the copies of a node that was lost are waited for; the masters maintain it on each index of users. */
export const nodeLeftSetting = 'index.unassigned.node_left.delayed_timeout';
/** Elasticsearch's own. */
export const defaultNodeLeftDelay = '1m';
/** The value that the masters set last; any other value is a user's. */
export const nodeLeftNote = 'cluster.metadata.drover_node_left_delay';

/** Facts that the configuration agent writes and the command reads. */
export const facts = {
  files: ['/etc/puppetlabs/facter/facts.d/custom.json'],
  directory: '/etc/facter/facts.d',
  root: 'elasticsearch',
  elasticSecret: 'elastic_secret',
  kibanaSystemSecret: 'kibana_system_secret',
  snapshotsBucket: 'snapshots_bucket',
  resourceName: 'resource_name',
  snapshotPolicies: 'snapshot_policies',
  snapshotReplicaBucket: 'snapshot_replica_bucket',
  snapshotReplicaRegion: 'snapshot_replica_region',
  recoveryMaxBytesPerSec: 'recovery_max_bytes_per_sec',
  nodeLeftDelay: 'node_left_delay',
  keystoreSecrets: 'keystore_secrets',
  exporterUser: 'exporter_user',
  exporterSecret: 'exporter_secret',
  kibanaTokenSecret: 'kibana_token_secret',
  restoreDrillDays: 'restore_drill_days',
  passwordRotationDays: 'password_rotation_days',
  rotateElastic: 'rotate_elastic',
} as const;

/** Published by the nodes of a cluster; alarms watch them. */
export const metricNamespace = 'Drover/SearchCluster';
export const clusterDimension = 'ClusterName';
export const metrics = {
  notGreen: 'ClusterNotGreen',
  snapshotAge: 'SnapshotAgeSeconds',
  diskUsed: 'DiskUsedPercentMax',
  drain: 'DrainSeconds',
  retained: 'RetainedInstances',
  certificateDays: 'CertificateDaysLeft',
  drillAge: 'RestoreDrillAgeSeconds',
  drillFailed: 'RestoreDrillFailed',
  mastersInOneZone: 'MastersInOneZone',
  rollStopped: 'SoftwareRollStopped',
  blockedIndices: 'BlockedIndices',
  heapUsed: 'HeapUsedPercentMax',
  rejected: 'RejectedRequests',
  atMaximum: 'GroupsAtMaximum',
} as const;

/** Alarms that every cluster has. */
export const alarmName = {
  notGreen: (clusterName: string): string => `cluster_not_green-${clusterName}`,
  snapshotTooOld: (clusterName: string): string => `snapshot_too_old-${clusterName}`,
  diskAboveWatermark: (clusterName: string): string => `disk_above_watermark-${clusterName}`,
  drainTooLong: (clusterName: string): string => `drain_too_long-${clusterName}`,
  retainedInstance: (clusterName: string): string => `retained_instance-${clusterName}`,
  certificateExpires: (clusterName: string): string => `certificate_expires-${clusterName}`,
  restoreDrillFailed: (clusterName: string): string => `restore_drill_failed-${clusterName}`,
  restoreDrillTooOld: (clusterName: string): string => `restore_drill_too_old-${clusterName}`,
  mastersInOneZone: (clusterName: string): string => `masters_in_one_zone-${clusterName}`,
  rollStopped: (clusterName: string): string => `software_roll_stopped-${clusterName}`,
  writesBlocked: (clusterName: string): string => `writes_blocked-${clusterName}`,
  heapTooFull: (clusterName: string): string => `heap_too_full-${clusterName}`,
  requestsRejected: (clusterName: string): string => `requests_rejected-${clusterName}`,
  growthAtMaximum: (clusterName: string): string => `growth_at_maximum-${clusterName}`,
  unhealthyHosts: (groupName: string): string => `unhealthy_hosts-${groupName}`,
};

/** Alarms of the web UI; its name is that of its function. */
export const uiAlarmName = {
  unhealthyHosts: (name: string): string => `unhealthy_hosts-${name}`,
  redeploymentFails: (name: string): string => `redeployment_fails-${name}`,
};

/** Environment of the function that lets the web UI follow its password. */
export const redeploymentEnvironment = {
  cluster: 'UI_CLUSTER',
  service: 'UI_SERVICE',
  secret: 'UI_SECRET',
  /** The label that says which version of the secret all tasks have; only where they log in with a token. */
  label: 'UI_LABEL',
} as const;

/** The label that a web UI keeps on the version of its token that all its tasks have. */
export const inUseLabel = (service: string): string => `USED-BY-${service}`;

/** The fact `drover.role` of a search node, by the key of its group. */
export const nodeRole = (key: string): string => `search_${key}`;
/** Of the groups that every cluster has. */
export const nodeRoles = { master: nodeRole('master'), data: nodeRole('data') };

/** Files that `cluster-cli node prepare` writes for the configuration agent, below its own root. */
export const searchNodeFacts = {
  file: '/etc/puppetlabs/facter/facts.d/search_node.json',
  root: 'search_node',
} as const;

/** Names the version of Elasticsearch for one run of a node's configuration; the next run without it asks what is in place. */
export const versionVariable = 'DROVER_ELASTICSEARCH_VERSION';

/** On a search node: who was stopped by `cluster-cli cluster prepare-restart`, until it is back. */
export const restartNoteFile = '/var/lib/drover/restart.json';

/**
 * Files that the configuration agent makes on each node. Of several authorities in a file the first is the present one.
 */
export const certificateFiles = {
  node: '/etc/elasticsearch/tls/node.crt',
  authority: '/etc/elasticsearch/tls/ca.crt',
} as const;

/** Objects in the state bucket; each may be created only once. */
export const stateObjects = {
  initialMasters: 'initial-masters.json',
  formed: 'formed.json',
  superuserStored: 'superuser-stored.json',
} as const;

/** Object in the state bucket: the deployment that waits for a green cluster, until it has been notified. */
export const deploymentObject = 'deployment.json';

/** Object in the state bucket: machine images by the parameter and the release that they were resolved for. */
export const imagesObject = 'images.json';

/** Object in the state bucket: the intent of an upgrade, created once. */
export const upgradeObject = (to: string): string => `upgrade-${to}.json`;

/** Below it in the state bucket: the software of the nodes, written by one function alone. */
export const softwareFolder = 'software/';
/** Object in the state bucket: the software that every node should have, and the one before it. */
export const softwareObject = `${softwareFolder}current.json`;
/** The function that writes it, and its environment. */
export const softwareFunction = (name: string): string => `${name}_software`;
export const softwareEnvironment = { stateBucket: 'STATE_BUCKET' } as const;
/** The function that makes and replaces the authority of the nodes' certificates, and its environment. */
export const authorityFunction = (name: string): string => `${name}_certificate_authority`;
export const authorityEnvironment = {
  certificate: 'CA_CERTIFICATE_SECRET',
  key: 'CA_KEY_SECRET',
  cluster: 'CLUSTER_NAME',
} as const;
/** On an instance: the digest of the software that it takes or has, and how far it is. */
export const softwareTag = 'drover:software';
/** On a node: the pointer of the software that is installed. */
export const softwareFile = '/opt/drover/software.json';
/** On a node: where the software of the next pointer is unpacked and checked before it is taken. */
export const nextSoftware = '/opt/drover/next';
/** On a node: what Elasticsearch was started with, while other software is taken. */
export const softwareNoteFile = '/var/lib/drover/software-taking.json';
/** Refused requests that the elected master counted last, by node. */
export const rejectionNoteFile = '/var/lib/drover/rejections.json';

/** On an instance, written by itself: since when its node is restarted in place and should get no requests, or that this is over. */
export const restartTag = 'drover:restart';
/** On an instance, written by the function that watches the cluster: what it did with the targets for that restart. */
export const trafficTag = 'drover:traffic';
/** On a node: the restart for which it has asked to get no requests, until it is over. */
export const trafficNoteFile = '/var/lib/drover/traffic.json';
/** How long a load balancer lets open requests of a deregistered target end. */
export const deregistrationSeconds = 60;

/** Object in the state bucket: the least size of a data node's volume, in GiB, since the volumes were grown. */
export const growthObject = 'data-volume.json';
/** Object in the state bucket: since when the disks of groups are too full, and what the elected master did about it. */
export const roomObject = 'room.json';
/** Device name of the volume for data in launch templates. */
export const dataDevice = '/dev/sdf';
/** Label of the file system on it. */
export const dataLabel = 'drover-data';

/** Object in the state bucket: how far the recovery of a cluster from a snapshot has come. */
export const recoveryObject = (clusterUuid: string): string => `recovery-${clusterUuid}.json`;

/** The user of one node's file realm that a recovery works as, because it replaces all others. */
export const recoveryUser = 'drover-recovery';

/** Repository of another cluster's bucket, which a recovery only reads. */
export const recoveryRepository = 'recovery';

/** Object in the state bucket: the last attempt to spread the masters over the zones again. */
export const spreadObject = 'spread.json';

/** Object in the state bucket: what is known of restore drills. */
export const drillObject = 'restore-drill.json';

/** Days between two restore drills, unless the input says otherwise; 0 is none. */
export const drillDays = 7;

/** Days for which a node signs its own certificate, unless the input says otherwise. */
export const nodeCertificateDays = 3650;

/** Names of the indices that a restore drill makes, and deletes. */
export const drillPrefix = 'drover-drill-';

/** The content of snapshots: everything but such indices, which would fail a snapshot while they are being restored. */
export const snapshotIndices: readonly string[] = ['*', `-${drillPrefix}*`];

/** The function that watches a cluster's groups from outside, and its environment. */
export const watchFunction = (name: string): string => `${name}_cluster_watch`;
export const watchEnvironment = {
  clusterName: 'CLUSTER_NAME',
  resourceName: 'RESOURCE_NAME',
  environment: 'CLUSTER_ENVIRONMENT',
  stateBucket: 'STATE_BUCKET',
} as const;

export interface SnapshotPolicy {
  readonly id: string;
  /** Quartz: seconds minutes hours day-of-month month day-of-week, where 1 is Sunday. */
  readonly schedule: string;
  readonly expireAfter: string;
  readonly maxCount: number;
  /** Twice the interval: when Elasticsearch calls the policy unhealthy. */
  readonly unhealthyWithin: string;
  /** @default backups */
  readonly repository?: string;
}

export const snapshotPolicies: readonly SnapshotPolicy[] = [
  { id: 'hourly-snapshots', schedule: '0 0 * * * ?', expireAfter: '48h', maxCount: 48, unhealthyWithin: '2h' },
  { id: 'daily-snapshots', schedule: '0 30 1 * * ?', expireAfter: '14d', maxCount: 14, unhealthyWithin: '2d' },
  { id: 'weekly-snapshots', schedule: '0 30 1 ? * 2', expireAfter: '60d', maxCount: 8, unhealthyWithin: '14d' },
  { id: 'monthly-snapshots', schedule: '0 30 1 1 * ?', expireAfter: '365d', maxCount: 12, unhealthyWithin: '62d' },
];

/** Snapshots of the input `snapshot_replica_bucket`. */
export const replicaPolicy: SnapshotPolicy = {
  id: 'replica-snapshots',
  schedule: '0 45 2 * * ?',
  expireAfter: '30d',
  maxCount: 30,
  unhealthyWithin: '2d',
  repository: replicaRepository,
};

/** A snapshot policy as the input `snapshot_policies` and the fact of this name have it, by id. */
export interface SnapshotPolicyInput {
  /** Quartz: seconds minutes hours day-of-month month day-of-week, where 1 is Sunday. */
  readonly schedule: string;
  /** After this time a snapshot is deleted, e.g. 14d. */
  readonly expire: string;
  /** Most snapshots to keep. */
  readonly count: number;
  /** After this time without a successful one the policy is overdue, e.g. 2d. */
  readonly overdue: string;
}

/** Policies of the input in the form of the built-in ones. */
export const policiesOf = (inputs: Readonly<Record<string, SnapshotPolicyInput>>): readonly SnapshotPolicy[] =>
  Object.entries(inputs).map(([id, { schedule, expire, count, overdue }]) => ({
    id,
    schedule,
    expireAfter: expire,
    maxCount: count,
    unhealthyWithin: overdue,
  }));

const unitSeconds: Readonly<Record<string, number>> = { h: 3_600, d: 86_400 };

/** When a policy without a successful snapshot is overdue. */
export const overdueSeconds = ({ unhealthyWithin }: SnapshotPolicy): number =>
  Number.parseInt(unhealthyWithin, 10) * unitSeconds[unhealthyWithin.slice(-1)]!;

/** Hourly, so that the retention table holds within the hour. */
export const retentionSchedule = '0 15 * * * ?';

/** Versions of Elasticsearch that the module is made for: from the first one on, before the second. */
export const supportedVersions = { from: '8.18.0', before: '10.0.0' } as const;

export const waits = {
  commissionSeconds: 172_800,
  decommissionSeconds: 3_600,
  scheduledDecommissionSeconds: 172_800,
  restartSeconds: 1_800,
} as const;

/** On an instance: the cluster that it was commissioned in. Newcomers compare theirs with it. */
export const clusterUuidTag = 'drover:cluster-uuid';

/** On an instance: why its launch failed, or on a master why the cluster is not ready for the deployment that waits. */
export const launchNoteTag = 'drover:launch';

/** On an instance that could not be drained: why. */
export const drainReasonTag = 'drover:drain';
