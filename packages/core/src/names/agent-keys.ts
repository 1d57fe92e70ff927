/**
 * Keys of the runner agent's configuration. The construct writes them into user data as the fact `actions_runner`, Puppet copies them to
 * /etc/runner-agent/config.json and adds where it installed the runner, and the agent reads them. It refuses any other key.
 */
export const agentKeys = {
  groupName: 'autoscaling_group_name',
  /** The instance's own group where that is the on-demand fallback of the other. */
  ownGroup: 'own_group_name',
  region: 'region',
  platformUrl: 'platform_url',
  scalingMode: 'scaling_mode',
  extraLabels: 'extra_labels',
  runnerGroup: 'runner_group',
  cleanBetweenJobs: 'clean_between_jobs',
  /** `<bucket>/<prefix>` of the host's reports. */
  hostReports: 'host_reports',
  logGroup: 'log_group',
  metricNamespace: 'metric_namespace',
  tokenSecretPrefix: 'registration_token_secret_prefix',
  /** Read by Puppet, which installs the runner software. */
  runnerVersion: 'runner_version',
  runnerChecksum: 'runner_checksum',
  docker: 'docker',
  dockerRegistryMirror: 'docker_registry_mirror',
  passwordlessSudo: 'passwordless_sudo',
  /** Added by Puppet. */
  runnerDirectory: 'runner_directory',
  runnerUser: 'runner_user',
} as const;
export type AgentKey = (typeof agentKeys)[keyof typeof agentKeys];
