/** Every output of a search cluster, with its meaning. */
export const searchClusterOutputs = {
  cluster_url: 'address of the cluster: its master nodes, for administration',
  cluster_master_url: 'address of the master nodes, for administration and the web UI',
  cluster_data_url: 'address of the data nodes: index and search here',
  elastic_secret_id: 'secret with the password of the superuser elastic',
  kibana_system_secret_id: "secret with the password of the web UI's user kibana_system",
  kibana_token_secret_id: 'secret with the token of the web UI, with kibana_auth service_token only',
  ca_certificate_secret_id: "secret with the certificate of the nodes' authority (PEM)",
  snapshots_bucket: 'bucket of the snapshot repository backups',
  state_bucket: 'bucket of what nodes and upgrades must agree on',
  master_autoscaling_group_name: 'name of the Auto Scaling group of the master nodes',
  data_autoscaling_group_name: 'name of the Auto Scaling group of the data nodes',
  elasticsearch_version: 'version of Elasticsearch',
  dashboard_url: 'the dashboard of the cluster',
  alarm_topic_arn: 'topic that gets every alarm of the cluster',
  module_version: 'version of this module',
} as const;
