import type { Aws } from '../aws.ts';
import type { CloudWatchSibling, LoadBalancingSibling } from '../siblings.ts';

/** Neighbours that a world may be built without: what they do not offer is left out. */
export const loadBalancing = (aws: Aws): Partial<LoadBalancingSibling> => aws.elbv2 as Partial<LoadBalancingSibling>;

export const cloudWatch = (aws: Aws): Partial<CloudWatchSibling> => aws.cloudwatch as Partial<CloudWatchSibling>;
