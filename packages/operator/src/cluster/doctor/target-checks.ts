import { restartTag, watchFunction } from '@drover/core/names/search-cluster';
import { askedIn, type GroupInstance, isTarget } from '@drover/search-cluster';
import { notice, type Outcome, ok, problem, unknown } from '../../doctor/findings.ts';
import { isInService } from '../../doctor/group-checks.ts';
import { listed } from '../../render/short.ts';
import type { ClusterFacts } from './facts.ts';

/** Nodes in service that get no request from their load balancer: while they restart that is as it should be. */
export function nodesWithoutRequests({ targets, instances, clusterName, now }: ClusterFacts): Outcome {
  if (targets.kind === 'failed') return unknown(`the load balancers could not be read: ${targets.message}`);
  const serving = instances.filter(({ lifecycleState }) => isInService({ state: lifecycleState }));
  const out = targets.value.flatMap((group) =>
    serving
      .filter(({ groupName, instanceId }) => groupName === group.groupName && !isTarget(group, instanceId))
      .map((instance) => ({ instance, group })),
  );
  if (out.length === 0) return ok('every node in service is a target of its load balancer');
  const restarts = ({ tags }: GroupInstance) => askedIn(tags[restartTag], now) !== undefined;
  const left = out.filter(({ instance }) => !restarts(instance));
  const told = out.map(
    ({ instance }) =>
      `${instance.instanceId} of ${instance.groupName} is in service and no target of its load balancer${restarts(instance) ? ', while it restarts in place' : ''}`,
  );
  const [first] = left;
  if (first === undefined) return notice(listed(told), 'wait until it is done');
  const name = watchFunction(clusterName);
  return problem(
    listed(told),
    `wait five minutes: the function ${name} registers it; if it does not, its log says why: aws logs tail /aws/lambda/${name} --since 15m; meanwhile: aws elbv2 register-targets --target-group-arn ${first.group.arn} --targets Id=${first.instance.instanceId}`,
  );
}
