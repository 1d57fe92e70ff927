import type { Origin } from '@drover/cloud-engine';
import type { LoadBalancer } from './model.ts';

/** A connection that a load balancer makes: it comes from one of its nodes, in its security groups. */
export function originOf({ name, securityGroupIds, nodes }: LoadBalancer): Origin {
  const [address] = nodes.values();
  return {
    kind: 'load-balancer',
    name,
    subnetIds: [...nodes.keys()],
    securityGroupIds,
    ...(address === undefined ? {} : { address }),
  };
}
