import type { Aws } from '../aws.ts';
import type { LoadBalancingSibling } from '../siblings.ts';

/** The load balancers, as far as the world has them. */
export const loadBalancing = (aws: Aws): Partial<LoadBalancingSibling> => aws.elbv2 as Partial<LoadBalancingSibling>;
