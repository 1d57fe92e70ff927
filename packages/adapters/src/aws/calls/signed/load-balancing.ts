import type { LoadBalancingOperations } from '../calls.ts';
import { queryProtocol } from './protocols.ts';
import { listOf, members } from './read-xml.ts';
import type { SignedService } from './signed-calls.ts';

const target = members({ Target: members({ Id: 'text' }), TargetHealth: members({ State: 'text' }) });

/** Elastic Load Balancing. */
export const elasticLoadBalancing: SignedService<LoadBalancingOperations> = {
  name: 'elasticloadbalancing',
  protocol: queryProtocol('2015-12-01'),
  operations: {
    DescribeTargetHealth: { output: members({ TargetHealthDescriptions: listOf(target) }) },
    RegisterTargets: {},
    DeregisterTargets: {},
  },
};
