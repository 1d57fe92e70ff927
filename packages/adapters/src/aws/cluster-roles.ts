import type { ClusterAws } from './clients.ts';
import { clusterMetrics } from './cluster-metrics.ts';
import { groupInstances, retainedInstances } from './group-instances.ts';
import { instanceRefresh } from './instance-refresh.ts';
import { instanceTags } from './instance-tags.ts';
import { lifecycleHook } from './lifecycle-hook.ts';
import { groupMembership } from './membership.ts';

/** Every role of AWS that draining, launching and reaping need. */
export const awsRoles = (aws: ClusterAws) => ({
  membership: groupMembership(aws),
  hook: lifecycleHook(aws),
  refresh: instanceRefresh(aws),
  tags: instanceTags(aws),
  instances: groupInstances(aws),
  metrics: clusterMetrics(aws),
  retained: retainedInstances(aws),
});
