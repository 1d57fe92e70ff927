/** Every string of the search cluster that crosses a room. */

export const hooks = {
  launching: { name: 'launching', heartbeatTimeoutSeconds: 3600, defaultResult: 'ABANDON' },
  terminating: { name: 'terminating', heartbeatTimeoutSeconds: 3600, defaultResult: 'ABANDON' },
} as const;

export const groupNames = {
  master: (clusterName: string): string => clusterName,
  data: (clusterName: string): string => `${clusterName}-data`,
};

export const discoveryTags = { cluster: 'cluster', environment: 'environment' } as const;
export const zoneAttribute = 'zone';
export const ports = { http: 9200, transport: 9300, nodeExporter: 9100, searchExporter: 9114 } as const;
export const superuser = 'elastic';
export const kibanaUser = 'kibana_system';
export const anonymousRole = 'anonymous_monitor';
export const snapshotRepository = 'backups';

/** Facts that the configuration agent writes and the command reads. */
export const facts = {
  files: ['/etc/puppetlabs/facter/facts.d/custom.json'],
  directory: '/etc/facter/facts.d',
  root: 'elasticsearch',
  elasticSecret: 'elastic_secret',
  kibanaSystemSecret: 'kibana_system_secret',
  snapshotsBucket: 'snapshots_bucket',
} as const;

export interface SnapshotPolicy {
  readonly id: string;
  /** Quartz: seconds minutes hours day-of-month month day-of-week, where 1 is Sunday. */
  readonly schedule: string;
  readonly expireAfter: string;
  readonly maxCount: number;
  /** Twice the interval: when Elasticsearch calls the policy unhealthy. */
  readonly unhealthyWithin: string;
}

export const snapshotPolicies: readonly SnapshotPolicy[] = [
  { id: 'hourly-snapshots', schedule: '0 0 * * * ?', expireAfter: '48h', maxCount: 48, unhealthyWithin: '2h' },
  { id: 'daily-snapshots', schedule: '0 30 1 * * ?', expireAfter: '14d', maxCount: 14, unhealthyWithin: '2d' },
  { id: 'weekly-snapshots', schedule: '0 30 1 ? * 2', expireAfter: '60d', maxCount: 8, unhealthyWithin: '14d' },
  { id: 'monthly-snapshots', schedule: '0 30 1 1 * ?', expireAfter: '365d', maxCount: 12, unhealthyWithin: '62d' },
];

/** Hourly, so that the retention table holds within the hour. */
export const retentionSchedule = '0 15 * * * ?';

export const waits = {
  commissionSeconds: 172_800,
  decommissionSeconds: 3_600,
  scheduledDecommissionSeconds: 172_800,
} as const;

/** On an instance that could not be drained: why. */
export const drainReasonTag = 'drover:drain';
