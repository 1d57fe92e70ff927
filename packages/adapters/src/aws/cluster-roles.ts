import type { ClusterAws } from './calls/calls.ts';
import { groupInstances, instanceRefresh, instanceTags, retainedInstances, statusChecks } from './group-instances.ts';
import { groupMembership } from './instance/own-instance.ts';
import { lifecycleHook } from './lifecycle-hooks.ts';
import { clusterMetrics } from './metrics.ts';

/** Every port of AWS that draining, launching and reaping need. */
export const awsRoles = (aws: ClusterAws) => ({
  membership: groupMembership(aws),
  hook: lifecycleHook(aws),
  refresh: instanceRefresh(aws),
  tags: instanceTags(aws),
  instances: groupInstances(aws),
  checks: statusChecks(aws),
  metrics: clusterMetrics(aws),
  retained: retainedInstances(aws),
});
