/** Every output of a runner fleet, with its meaning. */
export const runnerFleetOutputs = {
  autoscaling_group_name: 'name of the Auto Scaling group; the functions are named after it',
  registration_function_name: 'function that registers runners',
  deregistration_function_name: 'function that deregisters runners and removes orphaned ones',
  record_metric_function_name: 'function that publishes the idle-runner count',
  runner_version_function_name: 'function that mirrors the runner software and watches its end of life',
  registration_log_group: 'log group of the registration function',
  deregistration_log_group: 'log group of the deregistration function',
  record_metric_log_group: 'log group of the record_metric function',
  instance_log_group: 'log group of what the instances write, one stream for each instance and source',
  runner_version_log_group: 'log group of the runner_version function',
  alarm_topic_arn: 'topic that gets every alarm of the fleet',
  dashboard_url: 'the dashboard of the fleet',
  runner_role_arn: 'role of the instances',
  registration_role_arn:
    'role of the registration function; a key of your own (KMS) on the credential secret has to allow it',
  deregistration_role_arn: 'role of the deregistration function; the same applies',
  record_metric_role_arn: 'role of the record_metric function; the same applies',
  runner_version_role_arn: 'role of the runner_version function; the same applies',
  registration_token_secret_prefix: 'what the names of the registration tokens begin with',
  module_version: 'version of this module',
} as const;
