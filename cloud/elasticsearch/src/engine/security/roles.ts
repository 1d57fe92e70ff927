/** What a role allows, in the words of the create role API. */
export interface RoleDescriptor {
  readonly cluster?: readonly string[];
  readonly indices?: readonly IndexGrant[];
  readonly run_as?: readonly string[];
  readonly applications?: readonly unknown[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly description?: string;
}

export interface IndexGrant {
  readonly names: readonly string[] | string;
  readonly privileges: readonly string[];
  readonly allow_restricted_indices?: boolean;
}

const reserved = { _reserved: true };

/** Built-in roles ("Built-in roles"), as far as their privileges concern what is modelled. */
export const reservedRoles: Readonly<Record<string, RoleDescriptor>> = {
  superuser: {
    cluster: ['all'],
    indices: [
      { names: ['*'], privileges: ['all'], allow_restricted_indices: false },
      {
        names: ['*'],
        privileges: ['monitor', 'read', 'view_index_metadata', 'read_cross_cluster'],
        allow_restricted_indices: true,
      },
    ],
    applications: [{ application: '*', privileges: ['*'], resources: ['*'] }],
    run_as: ['*'],
    metadata: reserved,
    description: 'Grants full access to cluster management and data indices.',
  },
  kibana_system: {
    cluster: [
      'monitor',
      'manage_index_templates',
      'manage_saml',
      'manage_token',
      'manage_oidc',
      'manage_pipeline',
      'manage_ilm',
      'grant_api_key',
      'manage_own_api_key',
      'cancel_task',
      'cluster:admin/xpack/security/privilege/builtin/get',
      'cluster:admin/xpack/security/profile/*',
    ],
    indices: [
      { names: ['.kibana*', '.reporting-*'], privileges: ['all'], allow_restricted_indices: true },
      { names: ['.monitoring-*'], privileges: ['read', 'read_cross_cluster'] },
    ],
    metadata: reserved,
  },
  kibana_admin: {
    applications: [{ application: 'kibana-.kibana', privileges: ['all'], resources: ['*'] }],
    metadata: reserved,
  },
  monitoring_user: {
    cluster: ['cluster:monitor/main', 'cluster:monitor/xpack/info', 'cluster:monitor/remote/info'],
    indices: [{ names: ['.monitoring-*'], privileges: ['read', 'read_cross_cluster'] }],
    metadata: reserved,
  },
  remote_monitoring_collector: {
    cluster: ['monitor'],
    indices: [
      { names: ['*'], privileges: ['monitor'] },
      { names: ['.kibana*'], privileges: ['read'] },
    ],
    metadata: reserved,
  },
  remote_monitoring_agent: {
    cluster: [
      'manage_index_templates',
      'manage_ingest_pipelines',
      'monitor',
      'cluster:admin/ilm/get',
      'cluster:admin/ilm/put',
    ],
    indices: [{ names: ['.monitoring-*'], privileges: ['all'] }],
    metadata: reserved,
  },
  snapshot_user: {
    cluster: ['create_snapshot', 'cluster:admin/repository/get'],
    indices: [{ names: ['*'], privileges: ['view_index_metadata'], allow_restricted_indices: true }],
    metadata: reserved,
  },
  ingest_admin: { cluster: ['manage_index_templates', 'manage_pipeline'], metadata: reserved },
  logstash_system: { cluster: ['monitor'], metadata: reserved },
  beats_system: { cluster: ['monitor'], metadata: reserved },
  apm_system: { cluster: ['monitor'], metadata: reserved },
  viewer: {
    indices: [{ names: ['/~(([.]|ilm-history-).*)/'], privileges: ['read', 'view_index_metadata'] }],
    metadata: reserved,
  },
  editor: {
    indices: [{ names: ['/~(([.]|ilm-history-).*)/'], privileges: ['read', 'view_index_metadata'] }],
    metadata: reserved,
  },
};

export interface ReservedUser {
  readonly roles: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Built-in users ("Built-in users"). All but `elastic` have no password until one is set. */
export const reservedUsers: Readonly<Record<string, ReservedUser>> = {
  elastic: { roles: ['superuser'], metadata: reserved },
  kibana: {
    roles: ['kibana_system'],
    metadata: {
      _deprecated_reason: 'Please use the [kibana_system] user instead.',
      _reserved: true,
      _deprecated: true,
    },
  },
  kibana_system: { roles: ['kibana_system'], metadata: reserved },
  logstash_system: { roles: ['logstash_system'], metadata: reserved },
  beats_system: { roles: ['beats_system'], metadata: reserved },
  apm_system: { roles: ['apm_system'], metadata: reserved },
  remote_monitoring_user: { roles: ['remote_monitoring_collector', 'remote_monitoring_agent'], metadata: reserved },
};
