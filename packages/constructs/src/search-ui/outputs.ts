/** Every output of the web UI, with its meaning. */
export const searchUiOutputs = {
  kibana_url: 'address of the web UI',
  kibana_version: 'version of Kibana',
  alarm_topic_arn: 'topic that gets every alarm of the web UI',
  module_version: 'version of this module',
} as const;
